import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ConformanceReport } from '../../src/mcp-check/conformance/conformance-report.ts';
import { type Breakage, breakages, type Era, eras } from '../../src/mcp-check/fixtures/breakages.ts';
import { brokenHttpServer } from '../../src/mcp-check/fixtures/broken-server.mjs';
import { assay } from '../../src/testing/support/assay.ts';
import { installedServer } from './installed-servers.ts';

/** The newest suite knows every version, the one before it those with sessions. */
const suites = [
  { version: '0.1.16', directory: installedServer('mcp-servers'), eras: ['legacy'] },
  { version: '0.2.0-alpha.12', directory: installedServer('conformance'), eras },
] as const;
const page = fileURLToPath(new URL('../../docs/reference/mcp-breakages.md', import.meta.url));
const program = fileURLToPath(new URL('../../src/mcp-check/fixtures/broken-server.mjs', import.meta.url));

const server = brokenHttpServer();
let origin = '';
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

interface Found {
  readonly rules: readonly string[];
  /** Scenarios of the suite that did not pass, with their versions. */
  readonly scenarios: ReadonlyMap<string, readonly string[]>;
}

/** What `mcp-check --conformance` reports, with the suite that is installed in a folder. */
async function check(directory: string, place: readonly string[]): Promise<Found> {
  const args = ['mcp-check', '--json', '--calls', '2', '--fail-on', 'never', '--conformance', ...place];
  const { stdout, stderr } = await assay(args, { cwd: directory });
  if (stdout === '') throw new Error(stderr);
  const { problems, conformance } = JSON.parse(stdout) as {
    problems: { id: string }[];
    conformance: ConformanceReport;
  };
  if (conformance.state !== 'ran') throw new Error(conformance.reason);
  const scenarios = new Map<string, string[]>();
  for (const { name, version, state } of conformance.scenarios) {
    if (state === 'error') throw new Error(`${name} could not be run`);
    if (state !== 'pass') scenarios.set(name, [...(scenarios.get(name) ?? []), ...(version === null ? [] : [version])]);
  }
  const rules = problems.map(({ id }) => id).filter((id) => !id.startsWith('conformance-'));
  return { rules: [...new Set(rules)], scenarios };
}

const rows: string[] = [];
const isComplete = suites.every(({ directory }) => directory !== undefined);

describe.skipIf(!isComplete)('a server that is broken in one way', () => {
  describe.each(eras)('of the %s protocol', (era) => {
    it('is reported neither by our rules nor by the suites when it is right', async () => {
      for (const suite of suitesFor(era))
        expect(await check(suite.directory ?? '', [`${origin}/${era}/nothing`])).toEqual({
          rules: [],
          scenarios: new Map(),
        });
    });

    it.each(breakages.filter((breakage) => breakage.eras.includes(era)))('$name', async (breakage) => {
      const found = new Map<string, Found>();
      for (const { version, directory } of suitesFor(era)) {
        // Each suite meets a server of its own, because some breakages depend on what was asked before.
        const one = await check(directory ?? '', [`${origin}/${era}/${breakage.name}/${version}`]);
        expect(one.rules).toEqual([breakage.rule]);
        found.set(version, one);
      }
      rows.push(rowOf(breakage, era, found));
    });

    it('is reported by the suite over stdio too', async () => {
      const broken = breakages.filter((one) => one.eras.includes(era) && !one.isOfHttp && !one.hidesOthers);
      const names = broken.map(({ name }) => name).join();
      const [, newest] = suites;
      const { scenarios } = await check(newest.directory ?? '', ['--', 'node', program, era, names]);
      expect([...scenarios.keys()].toSorted()).toEqual(overStdio[era]);
    });
  });

  it('is in the table of the reference, which `npm run test:servers -- -u` writes', async () => {
    await expect([...introduction, ...rows, ''].join('\n')).toMatchFileSnapshot(page);
  });
});

const overStdio: Readonly<Record<Era, readonly string[]>> = {
  legacy: ['ping'],
  modern: [
    'caching',
    'prompts-list',
    'resources-list',
    'sep-2164-resource-not-found',
    'server-stateless',
    'tools-list',
  ],
};

function suitesFor(era: Era) {
  return suites.filter((suite) => (suite.eras as readonly Era[]).includes(era));
}

const introduction = [
  '# Broken servers, and who finds it',
  '',
  'One MCP server is broken on purpose in each of these ways. [`assay mcp check`](../guides/mcp-check.md) finds each by',
  'exactly one of [its rules](mcp-check-rules.md); the other columns have the scenarios of the official suite that fail or',
  'warn under `--conformance`. The suite judges most of a server by the tools of an example server, so on other servers it',
  'finds less. `–` means that it finds nothing. Without a breakage, neither reports anything.',
  '',
  '`npm run test:servers` checks this table.',
  '',
  `| the server | versions | rule of \`mcp-check\` | suite ${suites[0].version} | suite ${suites[1].version} |`,
  '| --- | --- | --- | --- | --- |',
];

function rowOf({ means, rule }: Breakage, era: Era, found: ReadonlyMap<string, Found>): string {
  const cells = suites.map(({ version, eras: known }) => {
    if (!(known as readonly Era[]).includes(era)) return 'does not know these versions';
    const scenarios = [...(found.get(version)?.scenarios ?? [])];
    if (scenarios.length === 0) return '–';
    return scenarios.map(([name, versions]) => [`\`${name}\``, ...versions].join(' ')).join(', ');
  });
  const versions = era === 'legacy' ? 'until 2025-11-25' : '2026-07-28';
  return `| ${[means, versions, `\`${rule}\``, ...cells].join(' | ')} |`;
}
