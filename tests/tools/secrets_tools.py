from pegboard_tool import tool
from pydantic import SecretStr


@tool
def login(user: str, api_key: SecretStr) -> str:
    """Use a key."""
    print("using", api_key.get_secret_value())
    raise RuntimeError("refused for key " + api_key.get_secret_value())
