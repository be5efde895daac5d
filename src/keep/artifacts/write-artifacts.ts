import { lstat, mkdir } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { AssayError } from '../../domain/errors.ts';
import { eventLines } from '../../domain/events-jsonl.ts';
import type { TrialRecord } from '../../domain/record.ts';
import type { Trace } from '../../domain/trace.ts';
import type { Trial } from '../../domain/trial.ts';
import { appendLine, writeWhole } from '../../shared/redacted-files.ts';
import type { Redacted } from '../../shared/redaction/redacted.ts';
import { drawnOf, type Redact, redactForReport } from '../../shared/redaction/redaction.ts';
import { evaluationMd } from './evaluation-md.ts';
import { metricsJson, resultsRecord, runJson } from './json-files.ts';
import { visibleText } from './markdown.ts';
import { reportMd } from './report-md.ts';
import { humanTranscript, rawTranscript } from './transcripts.ts';
import { type TrialStory, trialFacts } from './trial-facts.ts';

/** A finished trial, and the folders for its files. */
export interface ArtifactsInput {
  readonly trial: Trial;
  readonly trace: Trace;
  readonly record: TrialRecord;
  /** Absolute: the trial's folder. */
  readonly folder: string;
  /** Absolute: the folder of all results, which has `results.jsonl`; the one around the trial's folder unless given. */
  readonly resultsFolder?: string | undefined;
  /** Version of the tool under test, where it is known. */
  readonly targetVersion?: string | null | undefined;
  readonly redact: Redact;
}

/**
 * Writes the files of a trial into its folder, and its line into the list of all results last, so anyone who finds
 * the line finds the files. No secret reaches any of them.
 */
export async function writeArtifacts(input: ArtifactsInput): Promise<void> {
  const { folder, resultsFolder = dirname(folder), redact } = input;
  const story = storyOf(input);
  try {
    await Promise.all([folder, resultsFolder].map((each) => mkdir(each, { recursive: true })));
    const raw = (await isThere(join(folder, rawName)))
      ? {}
      : { [rawName]: drawnOf(story.trace, redact, rawTranscript) };
    const files = { ...raw, ...filesOf(story, redact), ...pagesOf(story, redact) };
    await Promise.all(Object.entries(files).map(([name, text]) => writeWhole(join(folder, name), text)));
    const path = relative(resultsFolder, folder).replaceAll('\\', '/');
    const line = drawnOf(story, redact, (clean) => JSON.stringify(resultsRecord(clean, path)));
    await appendLine(join(resultsFolder, 'results.jsonl'), line);
  } catch (error) {
    throw asWorkspaceError(error, folder);
  }
}

const rawName = 'transcript.raw.txt';

function storyOf({ trial, trace, record, targetVersion = null }: ArtifactsInput): TrialStory {
  return { facts: trialFacts(trial, trace, targetVersion), trace, record };
}

/** For programs: what happened, without secrets. */
function filesOf(story: TrialStory, redact: Redact): Record<string, Redacted> {
  return {
    'events.jsonl': drawnOf(story, redact, eventsJsonl),
    'metrics.json': drawnOf(story, redact, ({ record }) => `${JSON.stringify(metricsJson(record), null, 2)}\n`),
    'run.json': drawnOf(story, redact, (clean) => `${JSON.stringify(runJson(clean), null, 2)}\n`),
  };
}

function eventsJsonl({ trace, record }: TrialStory): string {
  return Array.from(eventLines(trace, record.startedAt), (line) => `${JSON.stringify(line)}\n`).join('');
}

/**
 * For people. Terminal codes go first: a secret with a colour in its middle would come together again without them.
 * Pages meant for sharing also lose personal data.
 */
function pagesOf(story: TrialStory, redact: Redact): Record<string, Redacted> {
  const visible: Redact = (text) => redact(visibleText(text));
  const shared = redactForReport(visible);
  return {
    'transcript.human.txt': drawnOf(
      story.trace,
      visible,
      (trace) => `${[...humanTranscript(trace)].join('\n').trimStart()}\n`,
    ),
    'evaluation.md': drawnOf(story, shared, evaluationMd),
    'report.md': drawnOf(story, shared, reportMd),
  };
}

async function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

function asWorkspaceError(error: unknown, folder: string): AssayError {
  const why = error instanceof Error ? error.message : String(error);
  return new AssayError('WORKSPACE_FAILED', `The artifacts in ${folder} cannot be written: ${why}.`, { cause: error });
}
