import { clientDifferences } from '../../src/drive/mcp/schemas/client-differences.ts';
import { resultSchemas } from '../../src/drive/mcp/schemas/message-rules.ts';
import { codes, page, section, sentence, table } from './markdown.ts';

/** Messages of MCP servers that are checked as official clients check them, and those that are read in another way. */
export function mcpClientsPage(): string {
  return page(
    'Messages that official clients refuse',
    'A result that passes in Assay works in clients that are built with the official SDK: every message of a server is checked with its schemas. A message that they refuse is an error of the server (`MCP_PROTOCOL_VIOLATED`), with the place and the rule. [The decision](../explanation/decisions/0057-official-clients.md) has the reasons.',
    section(
      2,
      'Checked results',
      table(
        ['version', 'answers to'],
        [
          ['until 2025-11-25', codes(Object.keys(resultSchemas.legacy))],
          ['from 2026-07-28 on', codes(Object.keys(resultSchemas.modern))],
        ],
      ),
      'The JSON-RPC around each message, notifications, and requests to the client are checked too.',
    ),
    section(
      2,
      'Differences by decision',
      table(
        ['message', 'official client', 'Assay', 'why'],
        clientDifferences.map(({ message, officialClient, assay, why }) => [
          sentence(message),
          sentence(officialClient),
          sentence(assay),
          why,
        ]),
      ),
    ),
  );
}
