import { markCountParts } from '../../domain/marks.ts';
import type { EvaluatorResult } from '../../domain/outcome.ts';
import type { TrialRecord } from '../../domain/record.ts';
import { notRunText } from '../../domain/run.ts';
import { eachTrial } from '../../keep/store/store.ts';
import { counted } from '../../shared/format.ts';
import { contentKey } from '../../shared/ids.ts';
import { canonicalJson } from '../../shared/json.ts';
import { type SarifRule, SarifWriter } from '../../shared/sarif.ts';
import { wellFormed } from '../../shared/text.ts';
import { decidingCriteria, trialTitle } from '../presentation/trial-text.ts';
import type { Reporter, StoredRun } from './reporter.ts';

/** Failures as findings in the scenario files, for code scanning. */
export const sarifReporter: Reporter = {
  name: 'sarif',
  summary: 'SARIF 2.1.0 for code scanning: failed checks, at the file of their scenario',
  fileName: 'assay.sarif',
  render: (run) => sarifOf(run),
};

/** One thing that had to hold and did not. */
interface FailedCheck {
  /** The type of the evaluator. */
  readonly rule: string;
  /** Distinguishes checks of one type in one trial, and is the same in every run. */
  readonly key: string;
  readonly message: string;
}

/** The failed checks of a trial: single criteria and tests rather than their evaluator, where it has them. */
function failedChecks(record: TrialRecord): FailedCheck[] {
  const counts = new Map<string, number>();
  const checks = record.evaluatorResults.flatMap((result) => {
    const number = (counts.get(result.type) ?? 0) + 1;
    counts.set(result.type, number);
    if (result.kind !== 'assertion' || result.state !== 'fail') return [];
    const finer = finerChecks(result, record);
    return finer.length > 0 ? finer : [{ rule: result.type, key: String(number), message: result.reason }];
  });
  if (checks.length > 0 || record.outcome !== 'fail') return checks;
  // An imported verdict has no checks, only its outcome.
  return [{ rule: 'trial', key: '', message: record.reason }];
}

function finerChecks({ type }: EvaluatorResult, record: TrialRecord): FailedCheck[] {
  if (type === 'criteria') {
    return decidingCriteria({ criteria: record.criteria, gates: [] }).map(({ criterion, explanation }) => ({
      rule: type,
      key: criterion,
      message: `${criterion}: ${explanation}`,
    }));
  }
  if (type !== 'tool-health') return [];
  return record.toolHealth
    .filter(({ state }) => state === 'fail')
    .map(({ testName, toolName, details }) => ({
      rule: type,
      key: `${toolName} ${testName}`,
      message: `${testName} (${toolName}): ${details}`,
    }));
}

/** Code scanning refuses a file with more of them. */
const mostOfCodeScanning = 25_000;
const mostNotifications = 1_000;

/**
 * Each failed check is a finding in the file of its scenario, reported once for all repeats. A trial that could not be
 * judged is a notification that the run is incomplete: it says nothing about the tool under test.
 */
export async function* sarifOf(
  { store, summary }: StoredRun,
  mostFindings = mostOfCodeScanning,
): AsyncGenerator<string, void> {
  const { run, totals } = summary;
  const writer = new SarifWriter();
  const reported = new Set<string>();
  let leftOut = 0;
  yield writer.begin();
  for await (const record of eachTrial(store, run.runId, ['fail'])) {
    for (const check of failedChecks(record)) {
      const fingerprint = fingerprintOf(record, check);
      if (reported.has(fingerprint)) continue;
      if (reported.size === mostFindings) {
        leftOut++;
        continue;
      }
      reported.add(fingerprint);
      yield writer.finding({
        rule: ruleOf(check),
        message: `${trialTitle({ ...record, repeat: 1 })}: ${check.message}`,
        location: locationOf(record),
        fingerprint,
        properties: { trialId: record.trialId },
      });
    }
  }
  const startedAt = new Date(run.startedAt).toISOString();
  yield writer.endFindings({ startedAt, isComplete: totals.error + totals.skipped + totals.notRun + leftOut === 0 });
  if (leftOut > 0) yield writer.notification({ id: 'left-out', message: `${counted(leftOut, 'more finding')}.` });
  yield* unjudged({ store, summary }, writer);
  yield writer.end({ tool: { name: 'assay', version: run.assayVersion } });
}

async function* unjudged({ store, summary }: StoredRun, writer: SarifWriter): AsyncGenerator<string, void> {
  const { run, totals } = summary;
  let count = 0;
  for await (const record of eachTrial(store, run.runId, ['error'])) {
    if (count++ === mostNotifications) break;
    const message = `${trialTitle(record)} could not be judged: ${record.reason}`;
    yield writer.notification({ id: record.fault?.code ?? 'NOT_JUDGED', message, location: locationOf(record) });
  }
  const more = totals.error - count + (count > mostNotifications ? 1 : 0);
  if (more > 0)
    yield writer.notification({ id: 'NOT_JUDGED', message: `${counted(more, 'more trial')} could not be judged.` });
  if (summary.notJudged > 0) {
    const message = `${counted(summary.notJudged, 'trial')} passed although an assertion was not judged.`;
    yield writer.notification({ id: 'NOT_JUDGED', message });
  }
  for (const part of markCountParts(summary.marks)) {
    yield writer.notification({ id: 'NOT_THE_REAL_THING', message: `Of the judged trials, ${part}.` });
  }
  if (totals.skipped > 0)
    yield writer.notification({ id: 'SKIPPED', message: `${counted(totals.skipped, 'trial')} without a verdict.` });
  if (totals.notRun > 0)
    yield writer.notification({ id: 'NOT_RUN', message: `${notRunText(run, counted(totals.notRun, 'trial'))}.` });
}

function ruleOf({ rule }: FailedCheck): SarifRule {
  const id = wellFormed(rule);
  const summary = id === 'trial' ? 'The trial failed' : `The assertion \`${id}\` does not hold`;
  return { id, level: 'error', summary };
}

function locationOf({ file, scenario, caseId }: TrialRecord): object {
  const names = { name: wellFormed(caseId), fullyQualifiedName: wellFormed(`${scenario}/${caseId}`) };
  return {
    physicalLocation: { artifactLocation: { uri: fileUri(file) }, region: { startLine: 1 } },
    logicalLocations: [{ ...names, kind: 'object' }],
  };
}

/** A path as a relative reference: one that begins with `//` or looks like a scheme would name something else. */
function fileUri(file: string): string {
  const path = wellFormed(file).replaceAll('\\', '/').split('/').map(encodeURIComponent).join('/');
  return path.startsWith('/') ? `file:///${path.replace(/^\/+/, '')}` : path === '' ? '.' : path;
}

/** Not of the run, the repeat or the wording of the reason, which differ from run to run. */
function fingerprintOf({ file, scenario, caseId, variant }: TrialRecord, { rule, key }: FailedCheck): string {
  return contentKey([file, scenario, caseId, canonicalJson(variant), rule, key]);
}
