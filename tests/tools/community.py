"""LangChain community's tools that want to be given something, from a factory."""

from langchain_community.agent_toolkits import FileManagementToolkit, JsonToolkit
from langchain_community.tools.json.tool import JsonSpec
from langchain_community.tools.requests.tool import RequestsGetTool
from langchain_community.tools.sleep.tool import SleepTool
from langchain_community.tools.sql_database.tool import (
    InfoSQLDatabaseTool,
    ListSQLDatabaseTool,
    QuerySQLDatabaseTool,
)
from langchain_community.utilities import SQLDatabase, TextRequestsWrapper

SPEC = JsonSpec(dict_={"a": {"b": [1, 2, {"c": "x"}]}})


def make_tools():
    """Tools over the working folder, its database, one document and the web."""
    database = SQLDatabase.from_uri("sqlite:///t.db")
    return [
        *FileManagementToolkit().get_tools(),
        SleepTool(),
        *JsonToolkit(spec=SPEC).get_tools(),
        ListSQLDatabaseTool(db=database),
        InfoSQLDatabaseTool(db=database),
        QuerySQLDatabaseTool(db=database),
        RequestsGetTool(
            requests_wrapper=TextRequestsWrapper(), allow_dangerous_requests=True
        ),
    ]


def make_sandbox():
    """A toolkit that sees one folder only."""
    return FileManagementToolkit(root_dir=".")
