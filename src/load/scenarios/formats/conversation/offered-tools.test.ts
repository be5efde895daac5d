import { describe, expect, it } from 'vitest';
import { formatProblem } from '../../../../domain/problem.ts';
import { connectorKinds } from '../../../../drive/connectors/index.ts';
import { evaluators } from '../../../../score/evaluators/index.ts';
import { conversationParts, noDefaults } from '../../../../testing/fakes/load/conversation-parts.ts';
import { temporaryFolder } from '../../../../testing/support/temporary-folder.ts';
import { loadScenarios } from '../../load.ts';

/** Problems of a file, as `validate` shows them. */
async function problemsOf(text: string): Promise<string> {
  const folder = await temporaryFolder({ 'x.yaml': text });
  const { problems } = await loadScenarios({
    paths: ['x.yaml'],
    folder,
    parts: { ...conversationParts, evaluators },
    defaults: { timeoutSecs: 5, conversations: { ...noDefaults, connectorKinds } },
  });
  return problems.map(formatProblem).join('\n');
}

describe('names of tools that nothing has', () => {
  const file = (assertion: string, tool = '{ name: book_table, description: books, command: "cat" }'): string => `
name: Table
userMessages: [Book a table]
connector: { type: openai-chat, baseUrl: http://localhost/v1, config: { model: m }, toolLoop: { tools: [${tool}] } }
evaluators: [${assertion}]
`;

  it.each([
    [
      'tool-not-called, config: { tool: book-table }',
      'No tool is called `book-table`, but one is called `book_table`.',
    ],
    ['tool-not-called, config: { tool: cancel }', 'No tool is called `cancel`.'],
    ['tool-called, config: { tool: bok_table }', 'Did you mean `book_table`?'],
    ['tool-order, config: { tools: [book_table, pay] }', 'No tool is called `pay`.'],
    ['tool-call-budget, config: { perTool: { pay: 1 } }', 'No tool is called `pay`.'],
  ])('are problems of the file: %s', async (assertion, message) => {
    expect(await problemsOf(file(`{ type: ${assertion} }`))).toContain(message);
  });

  it.each(['book_table', 'book_*', 'kind:shell'])('are not: %s', async (tool) => {
    expect(await problemsOf(file(`{ type: tool-not-called, config: { tool: "${tool}" } }`))).toBe('');
  });

  it('are left to the trial where the tools of a server are not known yet, unless they are near a known one', async () => {
    const server = '{ server: { command: node, args: [calc.mjs] } }, { name: pay, description: pays, command: "cat" }';
    const about = (tool: string) => file(`{ type: tool-not-called, config: { tool: ${tool} } }`, server);
    expect(await problemsOf(about('add'))).toBe('');
    expect(await problemsOf(about('Pay'))).toContain('No tool is called `Pay`, but one is called `pay`.');
  });
});
