"""Neural networks: what they are made of, as data, and how they score, with numpy alone."""

from panparser.networks.network import BILSTM as BILSTM
from panparser.networks.network import FEED_FORWARD as FEED_FORWARD
from panparser.networks.network import STACK_LSTM as STACK_LSTM
from panparser.networks.network import NetworkInput as NetworkInput
from panparser.networks.network import NetworkSpec as NetworkSpec
from panparser.networks.network import NetworkTraining as NetworkTraining
from panparser.networks.network_classifier import NetworkClassifier as NetworkClassifier

__all__: list[str]
