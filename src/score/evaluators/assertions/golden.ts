import { readFile } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import * as z from 'zod';
import { AssayError } from '../../../domain/errors.ts';
import { lastAnswer } from '../../../domain/trace.ts';
import type { Trial } from '../../../domain/trial.ts';
import { assistantText } from '../../../domain/turn.ts';
import { unifiedDiff } from '../../../drive/workspace/file-diff.ts';
import { composed } from '../../../shared/composed-text.ts';
import { sha256 } from '../../../shared/ids.ts';
import { canonicalJson } from '../../../shared/json.ts';
import { compileTextPattern, problemOfPattern } from '../../../shared/patterns.ts';
import { writeWhole } from '../../../shared/redacted-files.ts';
import { type Redacted, redactedText } from '../../../shared/redaction/redacted.ts';
import { type Answer, defineEvaluator, type EvaluationContext } from '../evaluator.ts';
import { excerptOf } from '../excerpt.ts';

/** In `file`: replaced by the case, where a scenario has several. */
const casePlace = '{case}';
const maxDiffLength = 20_000;
const maxNameLength = 120;

const configSchema = () =>
  z.strictObject({
    file: z
      .string()
      .min(1)
      .refine(
        (path) => !isAbsolute(path) && !path.split(/[\\/]/).includes('..'),
        'the path must stay in the folder of the scenario',
      )
      .optional()
      .describe(
        'golden file, relative to the scenario; `{case}` is replaced by the case. By default `golden/<scenario>/<case>.txt`',
      ),
    ignore: z
      .array(z.string().superRefine(refuseUnusable))
      .default([])
      .describe('regular expressions (RE2 syntax); lines that match one are not compared, such as lines with dates'),
  });

type GoldenConfig = z.output<ReturnType<typeof configSchema>>;

function refuseUnusable(pattern: string, context: z.RefinementCtx): void {
  const problem = problemOfPattern(pattern);
  if (problem !== undefined)
    context.addIssue({ code: 'custom', message: `the regular expression cannot be used: ${problem}` });
}

/** The answer is the one that was accepted before. */
export const golden = defineEvaluator({
  type: 'golden',
  kind: 'assertion',
  summary: 'the answer equals a golden file; `assay run --update-golden` writes it',
  example: { file: 'golden/{case}.txt', ignore: ['^Generated at '] },
  reads: { channels: { answers: 'exact' }, scope: 'answer' },
  configSchema,
  prepare(config) {
    const ignored = config.ignore.map((pattern) => compileTextPattern(pattern));
    const isCompared = ({ text }: Line) => !ignored.some((pattern) => pattern.occursIn(text));
    return (context) => compare(config, (text) => linesOf(text).filter(isCompared), context);
  },
});

/** A line of an answer; numbers count from 1. */
interface Line {
  readonly text: string;
  readonly number: number;
}

function linesOf(text: string): Line[] {
  const lines = composed(text.trimEnd()).split('\n');
  return lines.map((line, index) => ({ text: line.trimEnd(), number: index + 1 }));
}

async function compare(
  config: GoldenConfig,
  compared: (text: string) => readonly Line[],
  context: EvaluationContext,
): Promise<Answer<'assertion'>> {
  const { trial, services } = context;
  const name = fileOf(config, trial);
  const path = join(trial.scenario.directory, name);
  const text = answerOf(context);
  if (text === undefined) return { state: 'fail', reason: 'There is no answer to compare', value: 0 };
  const actual = services.redact(text);
  const wanted = await readGolden(path);
  const isSame = wanted !== undefined && textOf(compared(wanted)) === textOf(compared(actual));
  if (isSame) return { state: 'pass', reason: `The answer is that of ${name}`, value: 1 };
  if (services.updatesGolden) return update(path, name, actual, context);
  if (wanted === undefined) {
    throw new AssayError('GOLDEN_MISSING', `There is no golden file ${name}.`, {
      hint: `Run \`assay run ${trial.scenario.file} --update-golden\`, then read the file and commit it.`,
    });
  }
  return differs(name, compared(wanted), compared(actual));
}

async function differs(name: string, wanted: readonly Line[], actual: readonly Line[]): Promise<Answer<'assertion'>> {
  const different = wanted.findIndex(({ text }, index) => text !== actual[index]?.text);
  const place = different < 0 ? wanted.length : different;
  const [then, now] = [wanted[place], actual[place]];
  const lineText = (line: Line | undefined) => (line === undefined ? 'missing' : excerptOf(line.text));
  const mode = 0o644;
  const fileOfLines = (lines: readonly Line[]) => ({ text: `${textOf(lines)}\n`, mode });
  const diff = await unifiedDiff(name, fileOfLines(wanted), fileOfLines(actual));
  return {
    state: 'fail',
    reason: `Line ${(now ?? then)?.number} is ${lineText(now)}, in ${name} it is ${lineText(then)}`,
    value: 0,
    metadata: { diff: diff.length > maxDiffLength ? `${diff.slice(0, maxDiffLength)}\n… (cut)` : diff },
  };
}

function textOf(lines: readonly Line[]): string {
  return lines.map(({ text }) => text).join('\n');
}

/** An answer to a fault, an attack or a recording is not the answer that later ones have to equal. */
function assertUndisturbed(name: string, { trial: { variant }, trace }: EvaluationContext): void {
  const isBroken = (variant.faults ?? 'none') !== 'none' || (variant.attack ?? 'none') !== 'none';
  const isReplayed = trace.some(({ type }) => type === 'tool-tape');
  if (!isBroken && !isReplayed) return;
  const what = isBroken ? 'with faults or an attack' : 'whose tools are replayed';
  throw new AssayError('CRITERION_UNUSABLE', `${name} is not written from a trial ${what}.`, {
    hint: 'Run `assay run --update-golden` with the real tools, and without faults and attacks.',
  });
}

/** Only the first trial of a case writes: repeats and variants are compared with it when the run is repeated. */
async function update(
  path: string,
  name: string,
  text: Redacted,
  context: EvaluationContext,
): Promise<Answer<'assertion'>> {
  const { repeat, variant, scenario } = context.trial;
  const isFirst = repeat === 1 && canonicalJson(variant) === canonicalJson(scenario.variants[0] ?? {});
  if (!isFirst) return { state: 'skipped', reason: `${name} is written by the first trial of the case` };
  assertUndisturbed(name, context);
  await writeWhole(path, text.endsWith('\n') ? text : redactedText`${text}\n`, { isShared: true });
  return { state: 'skipped', reason: `${name} was written, so nothing was compared` };
}

async function readGolden(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, 'utf8')).replaceAll('\r\n', '\n');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new AssayError('GOLDEN_MISSING', `The golden file could not be read: ${(error as Error).message}.`);
  }
}

/** The text of the answer; data of a tool as JSON with its keys in order, so equal data are equal lines. */
function answerOf({ trace, turn }: EvaluationContext): string | undefined {
  const answer = lastAnswer(trace);
  const isDirect = answer !== undefined && !trace.some(({ type }) => type === 'message' || type === 'turn');
  if (!isDirect) return (turn && assistantText(turn))?.replaceAll('\r\n', '\n');
  const data = answer.error === undefined ? answer.result : { error: answer.error };
  if (data === undefined) return undefined;
  return typeof data === 'string' ? data : JSON.stringify(JSON.parse(canonicalJson(data)), null, 2);
}

function fileOf({ file }: GoldenConfig, { scenario, case: { caseId } }: Trial): string {
  if (file === undefined) return join('golden', fileName(scenario.name), `${fileName(caseId)}.txt`);
  if (scenario.caseCount > 1 && !file.includes(casePlace)) {
    throw new AssayError('CRITERION_UNUSABLE', `All ${scenario.caseCount} cases have the same golden file ${file}.`, {
      hint: `Write \`${casePlace}\` into the path, or leave \`file\` out.`,
    });
  }
  return file.replaceAll(casePlace, fileName(caseId));
}

/** A name as that of a file; different names are different files. */
function fileName(name: string): string {
  const spaced = name.replace(/[^A-Za-z0-9.-]/g, (character) => (character === ' ' ? '_' : encoded(character)));
  const visible = spaced.replace(/^\./, '%2E');
  return visible.length <= maxNameLength ? visible : `${visible.slice(0, maxNameLength)}-${sha256(name).slice(0, 8)}`;
}

function encoded(character: string): string {
  return [...Buffer.from(character)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('');
}
