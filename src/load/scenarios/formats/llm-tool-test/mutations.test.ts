import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { formatProblem, type Problem, ProblemsError } from '../../../../domain/problem.ts';
import { cliToolParts, sampleRubric } from '../../../../testing/support/llm-tool-test.ts';
import {
  changed,
  junkTexts,
  type Path,
  pathsOf,
  renamed,
  strangeKeys,
  wrongCopies,
} from '../../../../testing/support/mutations.ts';
import { expectReadable } from '../../../../testing/support/problems.ts';
import { temporaryFolder } from '../../../../testing/support/temporary-folder.ts';
import { readSource } from '../../../sources/source-file.ts';
import { noCliToolDefaults } from '../../scenario-format.ts';
import { llmToolTestFormat } from './llm-tool-test-format.ts';

/** A scenario that uses every key but those that exclude each other. */
const good = {
  name: 'm',
  description: 'd',
  template_folder: 't',
  target: { binary: 'tool', command_pattern: 'tool (\\w+)', health_check: 'tool -v', env: { A: '${A}' } },
  task: { prompt: 'Do it' },
  setup: { commands: ['make'] },
  scripts: { post: [{ command: 'a', timeout_secs: 5 }], evaluators: [{ command: 'b', name: 'n', timeout_secs: 5 }] },
  evaluation: {
    gates: [
      { type: 'command_json_path', command: 'c', path: '$', assertion: 'len >= 1' },
      { type: 'file_exists', path: 'a', description: 'x' },
    ],
    judge: { enabled: true, rubric: 'r.yaml', pass_threshold: 0.5 },
    composite: { judge_weight: 0.5, gate_weight: 0.3, interaction_weight: 0.2 },
  },
  gates: [{ type: 'no_transcript_errors' }],
  tool_matrix: [{ tool: 'opencode', models: ['m1'] }],
  run: { timeout_secs: 5, max_turns: 3 },
  tags: ['a'],
  tier: 1,
  cost: { max_usd: 1, cache: true },
  repeat: 2,
  isolation: 'none',
  mcp_servers: { files: { command: 'npx', args: ['x'], env: { B: 'c' } } },
  guidance: { v1: 'g.md' },
};

const paths = pathsOf(good);
const valueArbitrary = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    '',
    ' ',
    0,
    -1,
    1.5,
    1e300,
    true,
    [],
    {},
    [[]],
    [null],
    { type: 5 },
    '\u0000',
    't/../t',
    '/nowhere',
  ),
  fc.constantFrom<unknown>('from_config', 'default', '${X}', '(', { MinNotes: 3 }, 'DoctorPasses', ['a', 'a']),
  fc.jsonValue({ maxDepth: 3 }),
);

async function project(): Promise<string> {
  return temporaryFolder({ 't/a.txt': 'x', 'g.md': 'x', 'r.yaml': sampleRubric });
}

/** Problems found in a text; only a file that cannot be parsed may throw, and only its problems. */
async function problemsOf(folder: string, file: string, text: string): Promise<readonly Problem[] | 'another file'> {
  await writeFile(join(folder, file), text);
  try {
    const source = await readSource(file, folder);
    if (!llmToolTestFormat.recognises(source.value)) return 'another file';
    const read = await llmToolTestFormat.read(source, {
      parts: cliToolParts,
      defaults: { timeoutSecs: 5, cliTools: noCliToolDefaults },
      folder,
      directory: folder,
    });
    return 'cases' in read ? [] : read;
  } catch (error) {
    if (error instanceof ProblemsError) return error.problems;
    throw error;
  }
}

function expectPlaced(problems: readonly Problem[], file: string, text: string): void {
  for (const problem of problems) {
    expect(problem.at.file, formatProblem(problem)).toBe(file);
    expectReadable(problem, text);
  }
}

describe('a good scenario made wrong in one place', () => {
  it('is refused with a place and plain words when a value has another type', async () => {
    const folder = await project();
    const harmless = /^(gates|tool_matrix|guidance|tags|task|mcp_servers)/;
    let refused = 0;
    for (const path of paths) {
      for (const value of [7, 'words', true, ['words'], { key: 'words' }]) {
        if (kindOf(value) === kindOf(valueAt(good, path))) continue;
        const text = stringify(changed(good, path, value));
        const problems = await problemsOf(folder, 'x.yaml', text);
        if (problems === 'another file') throw new Error(text);
        expectPlaced(problems, 'x.yaml', text);
        if (problems.length > 0) refused++;
        else expect(path.join('.')).toMatch(harmless);
      }
    }
    expect(refused).toBeGreaterThan(250);
  });

  it('is read or refused, never more, when keys are left out or have strange names', async () => {
    const folder = await project();
    for (const path of paths) {
      for (const key of [undefined, ...strangeKeys]) {
        const text = JSON.stringify(renamed(good, path, key), null, 1);
        const problems = await problemsOf(folder, 'x.json', text);
        if (problems !== 'another file') expectPlaced(problems, 'x.json', text);
      }
    }
  });
});

describe('a good scenario made wrong in many places', () => {
  it('is read or refused, never more', async () => {
    const folder = await project();
    await fc.assert(
      fc.asyncProperty(wrongCopies(good, paths, valueArbitrary), async (data) => {
        const text = JSON.stringify(data, null, 1);
        const problems = await problemsOf(folder, 'x.json', text);
        if (problems !== 'another file') expectPlaced(problems, 'x.json', text);
      }),
      { seed: 11, numRuns: 500 },
    );
  });

  it('is read or refused when its text is cut and filled with junk', async () => {
    const folder = await project();
    await fc.assert(
      fc.asyncProperty(junkTexts(stringify(good), '|\n'), async (junk) => {
        const problems = await problemsOf(folder, 'x.yaml', junk);
        if (problems !== 'another file') expectPlaced(problems, 'x.yaml', junk);
      }),
      { seed: 12, numRuns: 400 },
    );
  });
});

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((part, step) => (part as Record<string | number, unknown>)[step], value);
}

function kindOf(value: unknown): string {
  return Array.isArray(value) ? 'list' : typeof value;
}
