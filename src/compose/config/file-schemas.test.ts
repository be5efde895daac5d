import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { looksLikeConversations } from '../../load/scenarios/formats/conversation/conversation-format.ts';
import { looksLikeLlmToolTest } from '../../load/scenarios/formats/llm-tool-test/llm-tool-test-format.ts';
import { looksLikeMcpServer } from '../../load/scenarios/formats/mcp-server/mcp-server-format.ts';
import { looksNative } from '../../load/scenarios/formats/native/native-format.ts';
import { parseSource } from '../../load/sources/source-file.ts';
import { compileJsonSchema } from '../../shared/json-schema/json-schema.ts';
import { starters } from '../starters/index.ts';
import { type FileSchemaName, fileJsonSchema } from './file-schemas.ts';

const examples = fileURLToPath(new URL('../../../examples', import.meta.url));

/** In the order in which files are recognised when they are loaded. */
function schemaFor(file: string, value: unknown): FileSchemaName | undefined {
  if (/assay\.config\./.test(file)) return 'config';
  if (looksLikeMcpServer(value)) return 'mcp-server';
  if (looksLikeLlmToolTest(value)) return 'cli-tool';
  if (looksLikeConversations(value)) return Array.isArray(value) ? undefined : 'conversation';
  return looksNative(value) ? 'scenario' : undefined;
}

async function problemsIn(
  file: string,
  text: string,
): Promise<{ schema: FileSchemaName | undefined; problems: string[] }> {
  const { value } = await parseSource(file, text);
  const schema = schemaFor(file, value);
  if (schema === undefined) return { schema, problems: [] };
  return { schema, problems: [...compileJsonSchema(fileJsonSchema(schema)).problemsIn(value)].map(String) };
}

const isData = (path: string): boolean =>
  /\.(ya?ml|jsonc?)$/.test(path) && !/node_modules|package(-lock)?\.json/.test(path);

describe('the published schemas', () => {
  it.each(starters.map(({ kind, files }) => ({ kind, files })))(
    'accept what `assay init --kind $kind` writes',
    async ({ kind, files }) => {
      const checked = [];
      for (const { path, text } of files.filter((file) => isData(file.path))) {
        const { schema, problems } = await problemsIn(path, text);
        expect({ path, problems }).toEqual({ path, problems: [] });
        checked.push(schema);
      }
      const expected = {
        tool: 'scenario',
        'cli-tool': 'cli-tool',
        conversation: 'conversation',
        'mcp-server': 'mcp-server',
      };
      expect(checked).toContain(expected[kind as keyof typeof expected]);
    },
  );

  it('accept every example', async () => {
    const all = await readdir(examples, { recursive: true });
    const checked = new Set<unknown>();
    for (const path of all.filter(isData)) {
      const { schema, problems } = await problemsIn(path, await readFile(join(examples, path), 'utf8'));
      expect({ path, problems }).toEqual({ path, problems: [] });
      checked.add(schema);
    }
    expect([...checked]).toEqual(expect.arrayContaining(['scenario', 'cli-tool', 'conversation', 'mcp-server']));
  });

  it('refuse what the program refuses', () => {
    const schema = compileJsonSchema(fileJsonSchema('cli-tool'));
    const good = { name: 'a', target: { binary: 'x' }, task: 'Do it', gates: [] };
    expect([...schema.problemsIn(good)]).toEqual([]);
    expect([...schema.problemsIn({ ...good, guidance: [] })]).not.toEqual([]);
    expect([...schema.problemsIn({ ...good, gate: [] })]).not.toEqual([]);
  });
});
