"""From raw text to words and lemmas: tokens, sentences, multiword tokens, edit scripts."""
