import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isRecord, parseJson } from '../../shared/json.ts';
import type { ChosenScenario, Tried } from './applicable.ts';
import type { ConformanceScenario } from './conformance-report.ts';
import { judgeChecks } from './judge-checks.ts';
import type { ConformanceSuite } from './suite.ts';

/** Runs scenarios of a suite against one address. */
export class ScenarioRunner {
  readonly #suite: ConformanceSuite;
  readonly #address: readonly string[];
  readonly #tried: Tried;

  /** `address`: the arguments that name what is tried. */
  constructor(suite: ConformanceSuite, address: readonly string[], tried: Tried) {
    this.#suite = suite;
    this.#address = address;
    this.#tried = tried;
  }

  /**
   * All scenarios of a version in one process, because the suite takes longer to start than to run; those without a result
   * are run again, each alone.
   */
  async runAll(chosen: readonly ChosenScenario[]): Promise<ConformanceScenario[]> {
    const found = new Map<string | null, ReadonlyMap<string, readonly unknown[]>>();
    for (const version of new Set(chosen.map((scenario) => scenario.version)))
      found.set(version, (await this.#run(['--suite', 'all'], version)).checks);
    const scenarios: ConformanceScenario[] = [];
    for (const scenario of chosen) {
      const { name, version } = scenario;
      const checks = found.get(version)?.get(name);
      scenarios.push(checks ? { name, version, ...judgeChecks(checks, this.#tried) } : await this.runOne(scenario));
    }
    return scenarios;
  }

  async runOne({ name, version }: ChosenScenario): Promise<ConformanceScenario> {
    const { checks, error } = await this.#run(['--scenario', name], version);
    const [own] = checks.values();
    if (own) return { name, version, ...judgeChecks(own, this.#tried) };
    return { name, version, state: 'error', messages: [error], unjudged: [] };
  }

  async #run(args: readonly string[], version: string | null) {
    const folder = await mkdtemp(join(tmpdir(), 'assay-conformance-'));
    try {
      const ofVersion = version === null ? [] : ['--spec-version', version];
      const { error } = await this.#suite.run([...this.#address, ...args, ...ofVersion, '--output-dir', folder]);
      return { checks: await readChecks(folder), error };
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
}

/** The checks that the suite left behind, by scenario. */
async function readChecks(folder: string): Promise<ReadonlyMap<string, readonly unknown[]>> {
  const scenarios = new Map<string, readonly unknown[]>();
  for (const name of await readdir(folder)) {
    const text = await readFile(join(folder, name, 'checks.json'), 'utf8').catch(() => '');
    const checks = parseJson(text);
    if (Array.isArray(checks))
      scenarios.set(name.replace(/^server-|-\d{4}-\d{2}-\d{2}T.*$/g, ''), checks.filter(isRecord));
  }
  return scenarios;
}
