import { constants } from 'node:fs';
import { lstat, mkdir, open } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { AssayError } from '../../domain/errors.ts';
import { eventLines } from '../../domain/events-jsonl.ts';
import type { TrialRecord } from '../../domain/record.ts';
import type { Trace } from '../../domain/trace.ts';
import type { Trial } from '../../domain/trial.ts';
import { type Redact, redactDeep, redactForReport } from '../../shared/redaction/redaction.ts';
import { writeWhole } from '../../shared/write-whole.ts';
import { evaluationMd } from './evaluation-md.ts';
import { metricsJson, resultsRecord, runJson } from './json-files.ts';
import { visibleText } from './markdown.ts';
import { reportMd } from './report-md.ts';
import { humanTranscript, rawTranscript } from './transcripts.ts';
import { type TrialStory, trialFacts } from './trial-facts.ts';

const appending = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0);

/**
 * Appends a line in a single write, which local file systems do not mix with those of other processes. The rest of a
 * line that a crash cut short is ended first, so it damages no other line.
 */
export async function appendLine(path: string, line: string): Promise<void> {
  await using file = await open(path, appending, 0o644);
  const { size } = await file.stat();
  const last = Buffer.alloc(1);
  if (size > 0) await file.read(last, 0, 1, size - 1);
  const isTorn = size > 0 && last.toString() !== '\n';
  const bytes = Buffer.from(`${isTorn ? '\n' : ''}${line}\n`);
  const { bytesWritten } = await file.write(bytes);
  if (bytesWritten < bytes.length) throw new Error(`only ${bytesWritten} of ${bytes.length} bytes could be written`);
}

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
  const clean = cleaned(story, redact);
  try {
    await Promise.all([folder, resultsFolder].map((each) => mkdir(each, { recursive: true })));
    const raw = (await isThere(join(folder, rawName))) ? {} : { [rawName]: rawTranscript(clean.trace) };
    const files = { ...raw, ...filesOf(clean), ...pagesOf(story, redact) };
    await Promise.all(Object.entries(files).map(([name, text]) => writeWhole(join(folder, name), text)));
    const path = relative(resultsFolder, folder).replaceAll('\\', '/');
    await appendLine(join(resultsFolder, 'results.jsonl'), JSON.stringify(resultsRecord(clean, path)));
  } catch (error) {
    throw asWorkspaceError(error, folder);
  }
}

const rawName = 'transcript.raw.txt';

function storyOf({ trial, trace, record, targetVersion = null }: ArtifactsInput): TrialStory {
  return { facts: trialFacts(trial, trace, targetVersion), trace, record };
}

function cleaned(story: TrialStory, redact: Redact): TrialStory {
  return redactDeep(story, redact);
}

/** For programs: what happened, without secrets. */
function filesOf(story: TrialStory): Record<string, string> {
  const events = Array.from(eventLines(story.trace, story.record.startedAt), (line) => `${JSON.stringify(line)}\n`);
  return {
    'events.jsonl': events.join(''),
    'metrics.json': `${JSON.stringify(metricsJson(story.record), null, 2)}\n`,
    'run.json': `${JSON.stringify(runJson(story), null, 2)}\n`,
  };
}

/**
 * For people. Terminal codes go first: a secret with a colour in its middle would come together again without them.
 * Pages meant for sharing also lose personal data.
 */
function pagesOf(story: TrialStory, redact: Redact): Record<string, string> {
  const visible = cleaned(story, (text) => redact(visibleText(text)));
  const shared = cleaned(
    visible,
    redactForReport((text) => text),
  );
  return {
    'transcript.human.txt': `${[...humanTranscript(visible.trace)].join('\n').trimStart()}\n`,
    'evaluation.md': evaluationMd(shared),
    'report.md': reportMd(shared),
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
