"""Batches: states of many sentences at a time, and the classifiers in Python that score them."""

from panparser.batches.classifier import Classifier as Classifier
from panparser.batches.classifier import ClassifierSetup as ClassifierSetup
from panparser.batches.classifier import check_classifier as check_classifier
from panparser.batches.combined_classifiers import JointClassifier as JointClassifier
from panparser.batches.combined_classifiers import VotingClassifier as VotingClassifier
from panparser.batches.python_perceptron import Perceptron as Perceptron
from panparser.batches.tasks import Prediction as Prediction
from panparser.batches.tasks import Task as Task
from panparser.batches.tasks import TaskModel as TaskModel
from panparser.batches.tasks import train_task as train_task

__all__: list[str]
