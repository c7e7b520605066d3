// Drives every tool with the official client, over the transport that is named, and prints what it got as one JSON document.
// node mcp_client.mjs http URL QUESTIONS | stdio BINARY CONFIG QUESTIONS
import { readFileSync } from "node:fs";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [kind, ...rest] = process.argv.slice(2);
const transport =
  kind === "http"
    ? new StreamableHTTPClientTransport(new URL(rest[0]))
    : new StdioClientTransport({ command: rest[0], args: ["mcp", "--config", rest[1]], stderr: "ignore" });
const questions = JSON.parse(readFileSync(rest.at(-1), "utf8"));

const client = new Client({ name: "presight-tests", version: "0" });
await client.connect(transport);
const { tools } = await client.listTools();
const results = [];
for (const { name, arguments: given } of questions) {
  // The client checks structuredContent against the tool's outputSchema.
  results.push(await client.callTool({ name, arguments: given }));
}
let unknown = null;
try {
  await client.callTool({ name: "no_such_tool", arguments: {} });
} catch (error) {
  unknown = error.code;
}
await client.close();
console.log(JSON.stringify({ server: client.getServerVersion(), tools, results, unknown }));
