"""The stock Python client of MCP. Reads {url, token} or {command, args, env}, and calls, from stdin; prints the answers."""

import asyncio
import json
import sys

import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client


def server_of(asked):
    if "url" not in asked:
        return StdioServerParameters(command=asked["command"], args=asked["args"], env=asked["env"])
    http = httpx2.AsyncClient(headers={"Authorization": f"Bearer {asked['token']}"})
    return streamable_http_client(asked["url"], http_client=http)


async def main(asked):
    async with Client(server_of(asked)) as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        answers = []
        for call in asked["calls"]:
            result = await client.call_tool(call["name"], call.get("input", {}))
            answers.append({"isError": result.is_error is True, "text": result.content[0].text})
        print(json.dumps({"names": names, "answers": answers}))


asyncio.run(main(json.load(sys.stdin)))
