import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isRecord, parseJson } from '../../shared/json.ts';
import { shownMessage } from '../session/answer-text.ts';
import { type ChosenScenario, type FailedCheck, isUnjudgeable, type Tried } from './applicable.ts';
import type { ConformanceScenario } from './conformance-report.ts';
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

/** The result of a scenario, from its checks. */
function judgeChecks(
  checks: readonly unknown[],
  tried: Tried,
): Pick<ConformanceScenario, 'state' | 'messages' | 'unjudged'> {
  const withStatus = (status: string): FailedCheck[] =>
    checks.flatMap((check) => (isRecord(check) && check.status === status ? [outcomeOf(check)] : []));
  const [failures, warnings] = [withStatus('FAILURE'), withStatus('WARNING')];
  const isJudged = (check: FailedCheck): boolean => !isUnjudgeable(check, tried);
  const failed = messagesOf(failures.filter(isJudged));
  const warned = messagesOf(warnings.filter(isJudged));
  const unjudged = messagesOf([...failures, ...warnings].filter((check) => !isJudged(check)));
  unjudged.push(...messagesOf(withStatus('SKIPPED')));
  if (failed.length > 0) return { state: 'fail', messages: [...failed, ...warned], unjudged };
  if (warned.length > 0) return { state: 'warning', messages: warned, unjudged };
  if (withStatus('SUCCESS').length > 0) return { state: 'pass', messages: [], unjudged };
  return { state: 'error', messages: ['not one of its checks could be judged.'], unjudged };
}

function outcomeOf({ errorMessage, description, id }: Readonly<Record<string, unknown>>): FailedCheck {
  return { id: String(id), message: shownMessage(String(errorMessage ?? description ?? id)) };
}

function messagesOf(checks: readonly FailedCheck[]): string[] {
  return checks.map(({ message }) => message);
}
