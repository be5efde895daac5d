import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../src', import.meta.url));

/**
 * What each folder may import: whole folders, or single contract files of folders whose other files are nobody's
 * business. `cli` and `compose` are where everything comes together.
 */
const allowed: Readonly<Record<string, readonly string[]>> = {
  shared: [],
  domain: ['shared'],
  criteria: ['domain', 'shared'],
  judge: ['criteria', 'domain', 'shared', 'stats', 'models/model.ts'],
  stats: [],
  models: [
    'domain',
    'shared',
    'scenarios/parsed-source.ts',
    'scenarios/schema-problems.ts',
    'scenarios/source-file.ts',
  ],
  mcp: ['domain', 'shared'],
  'mcp-check': ['domain', 'mcp', 'shared'],
  interaction: ['domain', 'shared'],
  compare: ['domain', 'interaction', 'shared', 'stats'],
  agents: [
    'domain',
    'shared',
    'scenarios/parsed-source.ts',
    'scenarios/schema-problems.ts',
    'scenarios/source-file.ts',
  ],
  workspace: ['domain', 'shared', 'agents/agent.ts'],
  recorder: ['domain', 'shared'],
  artifacts: ['domain', 'interaction', 'shared'],
  imports: [
    'domain',
    'interaction',
    'shared',
    'store/store.ts',
    // How agents' output is read.
    'agents/agent.ts',
    'agents/stream-formats.ts',
    'agents/claude-code/claude-stream.ts',
  ],
  evaluators: ['criteria', 'domain', 'interaction', 'judge', 'shared', 'workspace/run-script.ts'],
  targets: [
    'domain',
    'shared',
    'evaluators/evaluator.ts',
    'agents/agent.ts',
    'agents/agent-environment.ts',
    'artifacts/events-jsonl.ts',
    'mcp',
    'models/account.ts',
    'models/model.ts',
    'recorder',
    'workspace',
    // How a model is asked without letting what it is shown rewrite what it is asked.
    'judge/cut-middle.ts',
    'judge/encode-data.ts',
    'judge/fence.ts',
    'judge/read-reply.ts',
    'judge/reply-json-schema.ts',
    'judge/template.ts',
  ],
  scenarios: [
    'criteria',
    'domain',
    'shared',
    'evaluators/evaluator.ts',
    'evaluators/gates/gate-problems.ts',
    'evaluators/gates/old-gates.ts',
    'targets/target.ts',
    'targets/cli-tool/cli-tool-config.ts',
    'targets/connectors/connector.ts',
    'targets/conversation/conversation-config.ts',
    'targets/mcp',
    'mcp/rewrites.ts',
    'mcp/server-definition.ts',
  ],
  store: ['domain', 'shared'],
  bundles: ['domain', 'shared', 'store'],
  telemetry: ['shared'],
  distribution: ['domain', 'shared', 'store'],
  reporters: ['compare', 'domain', 'interaction', 'shared', 'stats', 'store/store.ts'],
  engine: ['domain', 'shared', 'evaluators/evaluator.ts', 'judge/judging.ts', 'store/store.ts', 'targets/target.ts'],
  testing: [
    'domain',
    'shared',
    'models/scripted/index.ts',
    'evaluators/evaluator.ts',
    'plugins',
    'store/store.ts',
    'targets/target.ts',
    'targets/threads.ts',
    'targets/connectors/connector.ts',
  ],
  plugins: [
    'domain',
    'shared',
    'agents/agent.ts',
    'evaluators/evaluator.ts',
    'judge/judging.ts',
    'reporters/reporter.ts',
    'store/store.ts',
    'targets/target.ts',
    'targets/connectors',
    'targets/conversation/case-filler.ts',
    'targets/conversation/conversation-config.ts',
  ],
  'mcp-server': ['compare', 'compose', 'criteria', 'domain', 'reporters', 'shared', 'store'],
  // What the server and its pages tell each other.
  api: ['domain', 'shared'],
  server: [
    'api',
    'bundles',
    'compose',
    'compare',
    'criteria',
    'distribution',
    'domain',
    'evaluators',
    'judge',
    'mcp',
    'reporters',
    'scenarios',
    'shared',
    'stats',
    'store',
    'targets/connectors',
  ],
  // A second way in, beside the command line.
  vitest: ['compose', 'domain', 'mcp', 'shared', 'scenarios/json-source.ts', 'store/open-store.ts'],
  compose: ['*'],
  cli: ['*'],
};

/** Folders that do no I/O and read no clock, so that they can be used anywhere. */
const pureFolders = ['domain', 'criteria', 'interaction', 'compare', 'judge', 'stats'];

interface SourceFile {
  readonly path: string;
  readonly folder: string;
  readonly text: string;
  readonly imports: readonly string[];
}

function sourceFiles(): SourceFile[] {
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' });
  return names
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts') && !name.endsWith('.test.ts'))
    .map((path) => {
      const text = readFileSync(join(root, path), 'utf8');
      const imports = [...text.matchAll(/(?:from|import\(|import)\s*'([^']+)'/g)].map((match) => match[1] ?? '');
      return { path, folder: path.split('/').length > 1 ? (path.split('/')[0] ?? '') : '', text, imports };
    });
}

function importedFile(file: SourceFile, specifier: string): string {
  return relative(root, join(root, dirname(file.path), specifier));
}

function isAllowed(file: SourceFile, specifier: string): boolean {
  const target = importedFile(file, specifier);
  const rules = allowed[file.folder] ?? ['*'];
  const isOwn = target.startsWith(`${file.folder}/`);
  return isOwn || rules.includes('*') || rules.some((rule) => target === rule || target.startsWith(`${rule}/`));
}

describe('import boundaries', () => {
  const files = sourceFiles();

  it('sees the source', () => {
    expect(files.length).toBeGreaterThan(50);
    expect(new Set(files.map((file) => file.folder))).toEqual(new Set(['', ...Object.keys(allowed)]));
  });

  it('imports point inwards', () => {
    const wrong = files.flatMap((file) =>
      file.imports
        .filter((specifier) => specifier.startsWith('.') && !isAllowed(file, specifier))
        .map((specifier) => `${file.path} imports ${importedFile(file, specifier)}`),
    );
    expect(wrong).toEqual([]);
  });

  it('the pure folders touch nothing outside of themselves', () => {
    const wrong = files
      .filter((file) => pureFolders.includes(file.folder))
      .flatMap((file) => [
        ...file.imports
          .filter((specifier) => specifier.startsWith('node:'))
          .map((name) => `${file.path} imports ${name}`),
        ...(/\bDate\.now\(|new Date\(\)|Math\.random\(|performance\.now\(/.test(file.text)
          ? [`${file.path} reads a clock`]
          : []),
        ...(/\bprocess\./.test(file.text) ? [`${file.path} uses process`] : []),
      ]);
    expect(wrong).toEqual([]);
  });

  it('only cli, compose and the thread of a module touch argv, env, exit and standard streams', () => {
    const mayTouch = ['cli', 'compose', 'vitest'];
    const inThread = ['targets/printed-by-call.ts'];
    const isSample = (file: SourceFile): boolean => file.path.includes('/fakes/');
    const wrong = files
      .filter((file) => !mayTouch.includes(file.folder) && !inThread.includes(file.path) && !isSample(file))
      .filter((file) => /\bprocess\.(argv|env|exit|exitCode|stdout|stderr|stdin)\b/.test(file.text));
    expect(wrong.map((file) => file.path)).toEqual([]);
  });

  it('runs no text as code', () => {
    const wrong = files.filter((file) => /\beval\(|new Function\(|node:vm/.test(file.text));
    expect(wrong.map((file) => file.path)).toEqual([]);
  });

  it('has no star exports', () => {
    expect(files.filter((file) => /^export \*/m.test(file.text)).map((file) => file.path)).toEqual([]);
  });
});
