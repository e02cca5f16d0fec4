"""Parsers for languages with few trees or none: similar languages, typology, projection, glossed text."""

from panparser.transfer import glossed as glossed
from panparser.transfer import projection as projection
from panparser.transfer.candidates import AttachmentCounts as AttachmentCounts
from panparser.transfer.competence import CompetenceRegions as CompetenceRegions
from panparser.transfer.competence import competent_regions as competent_regions
from panparser.transfer.competence import similar_regions as similar_regions
from panparser.transfer.recipe_sections import transfer_recipe as transfer_recipe
from panparser.transfer.reordering import ReorderingReport as ReorderingReport
from panparser.transfer.reordering import reorder_words as reorder_words
from panparser.transfer.rewriting import RewriteCount as RewriteCount
from panparser.transfer.rewriting import RewritingReport as RewritingReport
from panparser.transfer.rewriting import rewrite_word_order as rewrite_word_order
from panparser.transfer.self_training import SelfTrainingResult as SelfTrainingResult
from panparser.transfer.self_training import select_confident_trees as select_confident_trees
from panparser.transfer.self_training import self_train as self_train
from panparser.transfer.similarity import SourceSimilarity as SourceSimilarity
from panparser.transfer.similarity import TagLanguageModel as TagLanguageModel
from panparser.transfer.similarity import TagTrigramCounts as TagTrigramCounts
from panparser.transfer.similarity import measure_similarity as measure_similarity
from panparser.transfer.similarity import measure_similarity_by_tag as measure_similarity_by_tag
from panparser.transfer.similarity import rank_sources as rank_sources
from panparser.transfer.similarity import select_similar_sentences as select_similar_sentences
from panparser.transfer.source_files import SourceFile as SourceFile
from panparser.transfer.source_files import find_sources as find_sources
from panparser.transfer.transfer_report import TransferReport as TransferReport
from panparser.transfer.transferring import TransferResult as TransferResult
from panparser.transfer.transferring import train_transfer as train_transfer
from panparser.transfer.typology import TypologicalFeature as TypologicalFeature
from panparser.transfer.typology import Typology as Typology

__all__: list[str]
