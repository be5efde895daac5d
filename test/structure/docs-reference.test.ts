import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { jsonSchemaOf } from '../../scripts/docs-reference/evaluators.ts';
import { fileKeyOptions, fileKinds } from '../../scripts/docs-reference/files.ts';
import { referencePages } from '../../scripts/docs-reference/index.ts';
import { generatedMark } from '../../scripts/docs-reference/markdown.ts';
import { findingsOf, judgedRun, precision, sets } from '../../scripts/docs-reference/mcp-precision.ts';
import { mcpRuleExamples } from '../../scripts/docs-reference/mcp-rule-examples.ts';
import { mcpCheckRules } from '../../scripts/docs-reference/parts.ts';
import { undescribedKeys } from '../../scripts/docs-reference/schema-keys.ts';
import { environmentVariables, trialVariables } from '../../src/compose/environment-variables.ts';
import { agentKinds } from '../../src/drive/agents/index.ts';
import { connectorKinds } from '../../src/drive/connectors/index.ts';
import { providers } from '../../src/drive/models/providers/index.ts';
import { evaluators } from '../../src/score/evaluators/index.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = join(root, 'docs', 'reference');

describe('generated reference pages', () => {
  it.each(Object.entries(referencePages))('%s is what the source says', async (name, render) => {
    await expect(await render(), 'run `npm run docs:reference`').toMatchFileSnapshot(join(folder, name));
  });

  it('are removed when nothing generates them any more', () => {
    const generated = readdirSync(folder).filter((name) =>
      readFileSync(join(folder, name), 'utf8').startsWith(generatedMark),
    );
    expect(generated.filter((name) => !Object.hasOwn(referencePages, name))).toEqual([]);
  });
});

describe('descriptions', () => {
  it.each(fileKinds)('are given for every key: $title', (kind) => {
    expect(undescribedKeys(kind.schema(), fileKeyOptions(kind))).toEqual([]);
  });

  it.each([...evaluators, ...connectorKinds])('are given for every key of the config: $type', ({ configSchema }) => {
    expect(undescribedKeys(jsonSchemaOf(configSchema))).toEqual([]);
  });
});

describe('examples of evaluators', () => {
  it.each(evaluators)('pass the schema: $type', ({ configSchema, example = {} }) => {
    expect(configSchema.safeParse(example).error?.issues ?? []).toEqual([]);
  });
});

describe('rules of mcp-check', () => {
  it('have an example each', () => {
    const ids = mcpCheckRules().flatMap(([, rules]) => rules.map(({ id }) => id));
    expect(Object.keys(mcpRuleExamples).toSorted()).toEqual(ids.toSorted());
  });

  it('are right on real servers in at least 95 of 100 cases, and every finding was judged', () => {
    expect(findingsOf(judgedRun.servers).filter(({ verdict, why }) => verdict === null || !why)).toEqual([]);
    for (const [title, servers] of sets) expect(precision(servers), title).toBeGreaterThanOrEqual(0.95);
    expect(judgedRun.servers.filter(({ findings }) => findings).length).toBeGreaterThanOrEqual(34);
  });
});

describe('environment variables', () => {
  it('are listed if the source reads or sets them', () => {
    const listed = [
      ...Object.keys(environmentVariables),
      ...Object.keys(trialVariables),
      ...providers.flatMap(({ keyVariables, baseUrlVariable, environment }) => [
        ...keyVariables,
        baseUrlVariable ?? '',
        ...(environment ? [...environment.credentialVariables, ...environment.addressVariables] : []),
      ]),
      ...agentKinds.flatMap(({ inheritedVariables }) => inheritedVariables),
      'PATH',
    ];
    const used = sourceFiles(join(root, 'src')).flatMap((file) => [
      ...readFileSync(file, 'utf8').matchAll(/\benv\.([A-Z][A-Z_]+)\b|\b((?:ASSAY|LLM_TOOL_TEST)_[A-Z_]*[A-Z])\b/g),
    ]);
    const names = new Set(used.map(([, read, named]) => read ?? named ?? ''));
    expect(names.size).toBeGreaterThan(20);
    expect([...names].filter((name) => !listed.includes(name))).toEqual([]);
  });
});

function sourceFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.ts$/.test(name) && !/\.test\.ts$|(^|\/)(testing|fakes)\//.test(name.replaceAll('\\', '/')))
    .map((name) => join(folder, name));
}
