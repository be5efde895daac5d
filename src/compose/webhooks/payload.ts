import { basename } from 'node:path';
import type { AssayError } from '../../domain/errors.ts';
import type { RunHeader, RunSummary } from '../../domain/run.ts';
import { eachTrial } from '../../keep/store/store.ts';
import { driftText } from '../../report/compare/drift.ts';
import type { BaselineCheck } from '../../report/compare/regressions.ts';
import type { StoredRun } from '../../report/reporters/reporter.ts';
import type { Project } from '../config/project.ts';
import type { WebhookEvent } from '../config/webhook-config.ts';
import type { RuleDrift } from '../drift/watch-drift.ts';

/** A body of a webhook; documented in the guide of CI. */
export interface WebhookPayload {
  readonly schema: 'assay.webhook/1';
  readonly id: string;
  readonly event: WebhookEvent;
  /** The name of the project's folder. */
  readonly project: string;
  readonly run: Readonly<Record<string, unknown>>;
  readonly [detail: string]: unknown;
}

const mostItems = 20;

/** Identifies an event: a run that is resumed ends again, and that is another event. */
function eventId(runId: string, event: WebhookEvent, at: number): string {
  return `${runId}.${event}.${at}`;
}

function payload(
  event: WebhookEvent,
  { folder }: Project,
  { runId, finishedAt }: RunHeader,
  run: WebhookPayload['run'],
  details: Readonly<Record<string, unknown>> = {},
): WebhookPayload {
  const id = eventId(runId, event, finishedAt ?? 0);
  return { schema: 'assay.webhook/1', id, event, project: basename(folder), run, ...details };
}

/** The event of a run that has ended. */
export function finishedPayload(project: Project, summary: RunSummary): WebhookPayload {
  return payload('run-finished', project, summary.run, runFacts(summary));
}

/** The event of a run that is worse than its baseline. */
export function regressionPayload(project: Project, summary: RunSummary, check: BaselineCheck): WebhookPayload {
  const { regressions, reason, comparison } = check;
  return payload('regression', project, summary.run, runFacts(summary), {
    baseline: comparison.a.label,
    reason,
    regressions: regressions.slice(0, mostItems),
    regressionCount: regressions.length,
  });
}

/** The event of a run in which something could not be judged. */
export async function errorPayload(project: Project, { summary, store }: StoredRun): Promise<WebhookPayload> {
  const errors: unknown[] = [];
  for await (const { outcome, trialId, scenario, caseId, reason, fault } of eachTrial(store, summary.run.runId)) {
    if (outcome !== 'error') continue;
    errors.push({ trialId, scenario, caseId, reason, code: fault?.code ?? null });
    if (errors.length === mostItems) break;
  }
  return payload('error', project, summary.run, runFacts(summary), { errors, errorCount: summary.totals.error });
}

/** The event of a run that broke off: not its trials, but the run itself could not go on. */
export function brokenPayload(project: Project, run: RunHeader, { code, message }: AssayError): WebhookPayload {
  const facts = {
    runId: run.runId,
    name: run.request.name ?? null,
    startedAt: isoTime(run.startedAt),
    status: 'interrupted',
  };
  return payload('error', project, { ...run, finishedAt: Date.now() }, facts, {
    errors: [{ code, reason: message }],
    errorCount: null,
  });
}

/** The event of a rule whose figures became worse; the same however often it is found. */
export function driftPayload({ folder }: Project, { rule, reference, latestRun, figures }: RuleDrift): WebhookPayload {
  const worse = figures.filter(({ state }) => state === 'drift');
  const id = `${rule}.drift.${worse.map(({ figure }) => figure).join('+')}.${reference?.firstRun ?? ''}`;
  const reason = worse.map(driftText).join('; ');
  const run = { runId: latestRun?.runId ?? null, name: latestRun?.name ?? null };
  return {
    schema: 'assay.webhook/1',
    id,
    event: 'drift',
    project: basename(folder),
    run,
    rule,
    reason,
    figures: worse,
  };
}

function runFacts({ run, outcome, reason, totals, durationMs, costUsd }: RunSummary): WebhookPayload['run'] {
  return {
    runId: run.runId,
    name: run.request.name ?? null,
    startedAt: isoTime(run.startedAt),
    finishedAt: run.finishedAt === null ? null : isoTime(run.finishedAt),
    status: run.status,
    outcome,
    reason,
    totals,
    durationMs,
    costUsd,
  };
}

function isoTime(time: number): string {
  return new Date(time).toISOString();
}
