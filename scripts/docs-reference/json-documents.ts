import * as z from 'zod';
import { baselineFileSchema } from '../../src/compose/compare/baseline-file.ts';
import { runDocumentSchema } from '../../src/compose/compare/run-document.ts';
import { judgeOutputSchema } from '../../src/domain/judge-protocol.ts';
import { code, page, section, sentence, table } from './markdown.ts';
import { type JsonSchema, keySections } from './schema-keys.ts';

interface JsonDocument {
  readonly name: string;
  readonly command: string;
  readonly content: string;
  readonly schema?: z.ZodType;
}

const documents: readonly JsonDocument[] = [
  {
    name: 'assay.run/1',
    command: 'assay run --json',
    content: 'a run with its totals, figures and trials',
    schema: runDocumentSchema,
  },
  { name: 'assay.clusters/1', command: 'assay show <run> --clusters --json', content: 'failures grouped by cause' },
  {
    name: 'assay.scenario/1',
    command: 'assay show <scenario> --json',
    content: 'a scenario as its file has it, its first cases and its last trials',
  },
  { name: 'assay.compare/1', command: 'assay compare <A> <B> --json', content: 'the comparison of two sides' },
  { name: 'assay.diff/1', command: 'assay diff <A> <B> --json', content: 'steps that two trials or sides differ in' },
  { name: 'assay.plan/1', command: 'assay experiment plan <run> --json', content: 'repeats and cases that are needed' },
  {
    name: 'assay.promote/1',
    command: 'assay cases promote <trial> --json',
    content: 'the scenario file that was written',
  },
  {
    name: 'assay.generate/1',
    command: 'assay cases generate --from <source> --json',
    content: 'files, cases by label and coverage by tool',
  },
  { name: 'assay.import/1', command: 'assay import <files…> --json', content: 'imported trials and problems' },
  { name: 'assay.mcp-check/1', command: 'assay mcp check --json', content: 'problems of an MCP server' },
  {
    name: 'assay.mcp-pins/1',
    command: 'assay mcp check --baseline <file> --write-baseline',
    content: 'hashes of the tool definitions of an MCP server',
  },
  {
    name: 'assay.baseline-check/1',
    command: 'assay baseline check --json',
    content: 'the comparison of a run with its baseline',
  },
  {
    name: 'assay.baseline/1',
    command: 'assay baseline set',
    content: 'a baseline, in `assay.baseline.json`',
    schema: baselineFileSchema,
  },
  {
    name: 'judge protocol',
    command: 'assay score judge <file>',
    content: 'the verdict on recorded results; it has no `schema` key',
    schema: judgeOutputSchema,
  },
];

/** The documents that commands print for scripts, and the keys of those that have a schema. */
export function jsonDocumentsPage(): string {
  return page(
    'JSON documents',
    'With `--json`, a command prints exactly one JSON document on stdout. Its `schema` key names the kind and the version. New keys may be added within a version.',
    table(
      ['document', 'command', 'content'],
      documents.map(({ name, command, content }) => [code(name), code(command), sentence(content)]),
    ),
    ...documents.flatMap(({ name, schema }) =>
      schema === undefined
        ? []
        : [section(2, code(name), 'Keys that other commands read or write:', keySections(writtenSchema(schema), 3))],
    ),
  );
}

function writtenSchema(schema: z.ZodType): JsonSchema {
  return z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema;
}
