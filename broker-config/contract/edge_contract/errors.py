"""The contract's one error tree."""


class ContractError(Exception):
    """Something that crossed, or was to cross, the broker breaks the contract.

    field: the name of the offending field; rule: what it must be, in words.
    """

    def __init__(self, field: str, rule: str) -> None:
        super().__init__(f"{field}: {rule}")
        self.field = field
        self.rule = rule


class TopicError(ContractError):
    """A topic or a gateway identity is not of the contract's form."""


class PayloadError(ContractError):
    """A control message (JSON) cannot be read."""


class BatchError(ContractError):
    """A sample batch (binary) cannot be read or written."""


class DocumentError(ContractError):
    """A change of a configuration document does not go: field names the row, as `points meter.Ua`."""

    def __init__(self, section: str, key: tuple[str, ...], rule: str) -> None:
        super().__init__(f"{section} {'.'.join(key)}", rule)
        self.section = section
        self.key = key


class RowMissing(DocumentError):
    """There is no row of this key."""


class RowTwice(DocumentError):
    """There is a row of this key already."""


class RowUnnamed(DocumentError):
    """A row without a name."""
