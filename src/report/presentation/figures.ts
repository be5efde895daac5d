import type { HookProblem } from '../../domain/hook-problem.ts';
import { type Mark, type MarkCounts, markCountParts } from '../../domain/marks.ts';
import type { RunWait } from '../../domain/run.ts';
import { variantLabel } from '../../domain/variant-text.ts';
import { counted, formatDuration, grouped } from '../../shared/format.ts';
import type { Interval, PassRate } from '../../shared/stats/pass-rate.ts';
import type { PassOfK } from '../../shared/stats/repeated-passes.ts';
import type { RepeatFigures, RunFigures } from '../compare/run-figures.ts';
import type { SkillTriggering } from '../compare/skill-triggering.ts';

/** A share in percent: `80 %`, `99.6 %`; never 100 % for less than all, and never 0 % for more than none. */
export function percentText(share: number): string {
  const percent = share * 100;
  const isRounded = Math.abs(percent - Math.round(percent)) < 1e-9;
  if (isRounded) return `${Math.round(percent)} %`;
  const text = percent > 99 || percent < 1 ? percent.toFixed(1) : percent.toFixed(0);
  if (Number(text) === 100) return '> 99.9 %';
  return Number(text) === 0 ? '< 0.1 %' : `${text} %`;
}

/** A figure of unknown size: whole numbers as they are, others with four significant digits. */
export function figureText(value: number): string {
  if (!Number.isFinite(value)) return 'not a number';
  return Number.isInteger(value) ? grouped(value) : grouped(Number(value.toPrecision(4)));
}

/** `48 % (95 % interval 30 % to 67 %, for tasks like these) over 5 cases`; repeats of a single case say nothing about others. */
export function rateText({ rate, interval, cases }: PassRate): string {
  if (rate === null || interval === null) return 'unknown: no trial was judged';
  const question = cases === 1 ? 'on this task' : 'for tasks like these';
  return `${percentText(rate)} (95 % interval ${rangeText(interval)}, ${question}) over ${counted(cases, 'case')}`;
}

/** A share with its interval: `80 % (44 % to 97 %)`; a share of nothing is unknown. */
export function shareText({ rate, interval }: PassRate): string {
  return rate === null || interval === null ? 'unknown' : `${percentText(rate)} (${rangeText(interval)})`;
}

/** `12 of 25 judged trials passed`. */
export function judgedText({ passed, trials }: PassRate): string {
  return `${grouped(passed)} of ${counted(trials, 'judged trial')} passed`;
}

/** Trials that the pass rate leaves out: `1 could not be judged, 3 reused from earlier runs`; empty where it leaves nothing out. */
export function leftOutText({
  totals,
  marks,
  ratedMarks,
}: Pick<RunFigures, 'totals' | 'marks' | 'ratedMarks'>): string {
  const parts = [
    totals.error > 0 ? `${grouped(totals.error)} could not be judged` : '',
    totals.skipped > 0 ? `${grouped(totals.skipped)} without a verdict` : '',
    totals.notRun > 0 ? `${grouped(totals.notRun)} did not run` : '',
    ...markCountParts(uncounted(marks, ratedMarks)),
  ].filter((part) => part !== '');
  return parts.join(', ');
}

function uncounted(marks: MarkCounts, ratedMarks: readonly Mark[]): MarkCounts {
  return Object.fromEntries(Object.entries(marks).filter(([mark]) => !ratedMarks.includes(mark as Mark)));
}

/** `2 of 5 cases passed in every judged trial`. */
export function casesText({ cases }: Pick<RunFigures, 'cases'>): string {
  return `${grouped(cases.passed)} of ${counted(cases.judged, 'case')} passed in every judged trial`;
}

/** The pass rate in one sentence, with what it is made of where the totals do not say so: repeats, or trials left out. */
export function passRateSentence(figures: RunFigures): string {
  const { passRate } = figures;
  const leftOut = leftOutText(figures);
  const rate = `${rateText(passRate)}${ratedText(figures)}`;
  const isRepeated = passRate.rate !== null && passRate.trials > passRate.cases;
  const parts = [
    ...(passRate.rate !== null && (isRepeated || leftOut !== '') ? [judgedText(passRate)] : []),
    ...(isRepeated ? [casesText(figures)] : []),
  ];
  const available = [rate, ...parts];
  return `${available.join('; ')}${leftOut === '' ? '' : `; not counted: ${leftOut}`}`;
}

/** `, replayed`: no trial of the rate met the real thing, or its user was not real; empty otherwise. */
export function ratedText({ ratedMarks = [] }: Partial<Pick<RunFigures, 'ratedMarks'>>): string {
  return ratedMarks.map((mark) => `, ${mark}`).join('');
}

/** `26 of 50 cases are flaky`; a case is flaky where it is so under one of several variants. */
export function flakyText({ cases, flaky, variants, passOfK }: RepeatFigures): string {
  if (flaky === 0 && passOfK.some(({ passAtK }) => passAtK.length === 0)) return 'no flaky case among those judged';
  if (flaky === 0) {
    const place = variants > 1 ? ' of the same variant' : '';
    const all = cases === 1 ? 'the only case' : cases === 2 ? 'both cases' : `all ${counted(cases, 'case')}`;
    return `${all} gave the same result in every repeat${place}`;
  }
  const place = variants > 1 ? ' under at least one variant' : '';
  return `${grouped(flaky)} of ${counted(cases, 'case')} ${flaky === 1 ? 'is' : 'are'} flaky${place}`;
}

/** pass@k and pass^k of each variant for every k; without rows where nothing is known. */
export function passOfKTable({ passOfK }: RepeatFigures): { readonly head: string[]; readonly rows: string[][] } {
  const isOne = passOfK.length === 1;
  const rows = passOfK.flatMap(({ variant, passAtK, passHatK }) =>
    passAtK.flatMap((at, index) => {
      if (!isShownK(at.k, passAtK.length)) return [];
      const hat = passHatK[index];
      return [[...(isOne ? [] : [variantLabel(variant)]), String(at.k), passOfKText(at), hat ? passOfKText(hat) : '–']];
    }),
  );
  return { head: [...(isOne ? [] : ['variant']), '#k', '#pass@k (at least one of k)', '#pass^k (all of k)'], rows };
}

/** Of many repeats, round numbers and the last are enough. */
function isShownK(k: number, most: number): boolean {
  return most <= mostShownK || k === most || roundKs.has(k);
}

const mostShownK = 10;
const roundKs: ReadonlySet<number> = new Set([1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000]);

/** `27.3 % (17 % to 40 %)`: as exactly as pass^k is usually published. */
function passOfKText({ value, interval }: PassOfK): string {
  return `${tenthsText(value)} (${rangeText(interval)})`;
}

/** To a tenth of a percent; never 0 % or 100 % of what is not. */
function tenthsText(share: number): string {
  const percent = Number((100 * share).toFixed(1));
  return percent === 0 || percent === 100 ? percentText(share) : `${percent} %`;
}

/** An interval of shares in percent, with a digit more where its ends would read the same. */
export function rangeText({ low, high }: Interval): string {
  const [from, to] = [percentText(low), percentText(high)];
  if (from !== to || low === high) return `${from} to ${to}`;
  return `${(low * 100).toFixed(1)} % to ${(high * 100).toFixed(1)} %`;
}

/** `waited 14 times for the rate limit of https://api.example.com, 3.2 s in all; 5 requests refused; down to 2 at a time`. */
export function waitText({ origin, waits, waitedMs, refusals, lowest }: RunWait): string {
  const parts = [
    `waited ${counted(waits, 'time')} for the rate limit of ${origin}, ${formatDuration(waitedMs)} in all`,
    ...(refusals > 0 ? [`${counted(refusals, 'request')} refused`] : []),
    ...(lowest === null ? [] : [`down to ${grouped(lowest)} at a time`]),
  ];
  return parts.join('; ');
}

/** ``The hook afterTrial failed 3 times, first for t-1: `rm data.db` ended with exit code 1: …; no verdict is changed``. */
export function hookProblemText({ hook, command, count, message, scenario, trialId }: HookProblem): string {
  const first = trialId ?? scenario;
  const times = count === 1 ? '' : ` ${grouped(count)} times`;
  const where = first === null ? '' : count === 1 ? ` for ${first}` : `, first for ${first}`;
  return `The hook ${hook} failed${times}${where}, which changes no verdict: \`${command}\` ${message}`;
}

/** Precision and recall of a skill on one line. */
export function triggeringText(figures: SkillTriggering): string {
  const { precision, recall, truePositives, falsePositives, falseNegatives, trueNegatives } = figures;
  const wanted = `${truePositives} of ${truePositives + falseNegatives} trials that should trigger it did`;
  const unwanted = `${falsePositives} of ${falsePositives + trueNegatives} that should not did`;
  return `precision ${shareText(precision)}, recall ${shareText(recall)}: ${wanted}, ${unwanted}`;
}
