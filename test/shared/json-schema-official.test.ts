import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findJsonSchemaTests } from '../../scripts/json-schema-tests.mjs';
import { compileJsonSchema, UnusableSchema } from '../../src/shared/json-schema/json-schema.ts';

interface TestGroup {
  readonly description: string;
  readonly schema: unknown;
  readonly tests: readonly { readonly description: string; readonly data: unknown; readonly valid: boolean }[];
}

/** Refused, and never answered wrongly: only the schema itself is read, so no reference may lead out of it. */
const refused: Readonly<Record<string, readonly string[]>> = {
  anchor: ['invalid anchors'],
  defs: ['validate definition against metaschema'],
  dynamicRef: [
    'strict-tree schema, guards against misspelled properties',
    'tests for implementation dynamic anchor and reference link',
    '$ref and $dynamicAnchor are independent of order - $defs first',
    '$ref and $dynamicAnchor are independent of order - $ref first',
  ],
  id: [
    'Invalid use of fragments in location-independent $id',
    'Valid use of empty fragments in location-independent $id',
    'Unnormalized $ids are allowed but discouraged',
  ],
  ref: ['remote ref, containing refs itself', 'URN base URI with f-component'],
  refRemote: [
    'remote ref',
    'fragment within remote ref',
    'anchor within remote ref',
    'ref within remote ref',
    'base URI change',
    'base URI change - change folder',
    'base URI change - change folder in subschema',
    'root ref in remote ref',
    'remote ref with ref to defs',
    'Location-independent identifier in remote ref',
    'retrieved nested refs resolve relative to their URI not $id',
    'remote HTTP ref with different $id',
    'remote HTTP ref with different URN $id',
    'remote HTTP ref with nested absolute ref',
  ],
};

/** Every keyword is in force, whatever a metaschema of the user's own switches off. */
const withoutVocabularies = 'schema that uses custom metaschema with with no validation vocabulary';

const folder = findJsonSchemaTests();
const required = folder === undefined ? undefined : join(folder, 'draft2020-12');
const files = required === undefined ? [] : readdirSync(required).filter((name) => name.endsWith('.json'));

describe.skipIf(required === undefined)('the official tests of JSON Schema 2020-12, required part', () => {
  it('hold every keyword', () => {
    expect(files).toEqual(expect.arrayContaining(['unevaluatedItems.json', 'unevaluatedProperties.json']));
    expect(files.flatMap(groupsOf).flatMap(({ tests }) => tests).length).toBeGreaterThan(1_000);
  });

  it.each(files)('%s is answered rightly', (file) => {
    const name = file.replace('.json', '');
    const groups = groupsOf(file).filter(({ description }) => description !== withoutVocabularies);
    const answers = groups.map((group) => ({ group, wrong: wrongAnswers(group) }));
    const unanswered = answers.filter(({ wrong }) => wrong === undefined).map(({ group }) => group.description);
    expect(unanswered).toEqual(refused[name] ?? []);
    expect(answers.flatMap(({ wrong }) => wrong ?? [])).toEqual([]);
  });

  it('has one that needs vocabularies, and is answered as if there were none', () => {
    const [group] = groupsOf('vocabulary.json').filter(({ description }) => description === withoutVocabularies);
    expect(group && wrongAnswers(group)).toEqual([expect.stringContaining('no validation: invalid number')]);
  });
});

function groupsOf(file: string): readonly TestGroup[] {
  return JSON.parse(readFileSync(join(required ?? '', file), 'utf8')) as TestGroup[];
}

/** The tests of a group that are answered wrongly; undefined where the schema is refused. */
function wrongAnswers({ description, schema, tests }: TestGroup): string[] | undefined {
  try {
    const compiled = compileJsonSchema(schema);
    const isWrong = ({ data, valid }: TestGroup['tests'][number]) => (compiled.problemsIn(data).length === 0) !== valid;
    return tests.filter(isWrong).map((test) => `${description}: ${test.description}`);
  } catch (error) {
    if (error instanceof UnusableSchema && error.message.includes('leads out of the schema')) return undefined;
    throw error;
  }
}
