"""Step through a derivation: what the parser sees, what it may do, and what each choice would cost."""

import panparser as pp

forms = ["They", "ate", "the", "pizza", "with", "anchovies", "."]
gold = pp.GoldTree([2, 0, 4, 2, 6, 4, 2], ["nsubj", "root", "det", "obj", "case", "nmod", "punct"])
system = pp.system("arc-eager", root="last", single_root=True)

print(system, end="\n\n")
state = system.initial(len(forms))
for transition in pp.static_derivation(system, gold):
    print(f"--- {transition}")
    state = system.apply(state, transition)
    print(state.draw(gold, forms), end="\n\n")
