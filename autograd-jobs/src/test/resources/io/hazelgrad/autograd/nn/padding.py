"""Makes padding.json: cases in the form of modules.json, of convolutions that pad with other than zeros.

    OMP_NUM_THREADS=1 python3 padding.py > padding.json

Made with torch 2.13, whose padding modes are those of 1.13.
"""

from torch import nn

from modules import case, write, x

write(
    [
        case(
            "conv1d %s" % mode,
            nn.Conv1d(2, 3, 3, padding=2, padding_mode=mode),
            x(2, 2, 5),
        )
        for mode in ("zeros", "reflect", "replicate", "circular")
    ]
    + [
        case(
            "conv2d %s" % mode,
            nn.Conv2d(
                2, 4, (3, 2), stride=(2, 1), padding=(2, 1), dilation=(1, 2), groups=2, padding_mode=mode
            ),
            x(2, 2, 5, 4),
        )
        for mode in ("zeros", "reflect", "replicate", "circular")
    ]
)
