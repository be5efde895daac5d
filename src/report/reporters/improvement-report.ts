import type { Idea, Improvement, ImprovementEnding, ImprovementStep } from '../../domain/improvement.ts';
import { counted } from '../../shared/format.ts';
import { printable } from '../../shared/text.ts';

const endingWords: Readonly<Record<ImprovementEnding, string>> = {
  'nothing-failed': 'no training case fails any more',
  'nothing-judged': 'nothing could be judged',
  'no-usable-idea': 'no idea can be tried',
  'nothing-helped': 'no idea of the last step helped',
  'steps-used-up': 'the last step is done',
  'budget-used-up': 'the spending limit is reached',
  'not-comparable': 'the versions cannot be compared',
};

const stateWords: Readonly<Record<Idea['state'], string>> = {
  proposed: 'not tried yet',
  broken: 'breaks the file',
  duplicate: 'duplicate',
  leak: 'leak',
  kept: 'kept',
  'not-better': 'not better',
  'worse-on-held-out': 'worse on held-out cases',
  'not-shown-on-held-out': 'not shown on held-out cases',
  'set-aside': 'set aside',
};

/** The report of an improvement for a terminal: every idea, its evidence and cost, and the diff of all that was kept. */
export function improvementText(improvement: Improvement): string {
  const { id, file, steps, diff, applied } = improvement;
  const lines = [
    `${id}: ${file}`,
    `  ${splitText(improvement)}`,
    ...steps.flatMap((step) => stepLines(step)),
    `  ${endText(improvement)}`,
    `  ${costText(improvement)}`,
    ...(diff === null ? [] : ['', ...diff.trimEnd().split('\n').map(printable)]),
    ...(applied.length === 0 ? [] : ['', `  Applied to ${applied.join(', ')}.`]),
    ...(diff !== null && applied.length === 0 ? ['', `  Apply it with: assay improve --resume ${id} --apply`] : []),
  ];
  return `${lines.join('\n')}\n`;
}

/** The same as a Markdown document, with the rationale and the diff of each idea. */
export function improvementMarkdown(improvement: Improvement): string {
  const { id, file, steps, diff } = improvement;
  const parts = [
    `# ${id}: ${file}`,
    splitText(improvement),
    ...steps.flatMap((step) => [`## Step ${step.number}`, stepHead(step), ...step.ideas.flatMap(ideaMarkdown)]),
    '## Result',
    `${endText(improvement)}. ${costText(improvement)}.`,
    ...(diff === null ? [] : [fenced(diff)]),
  ];
  return `${parts.join('\n\n')}\n`;
}

function splitText({ split: { training, heldOut }, request: { seed } }: Improvement): string {
  const families = new Set([...training, ...heldOut].map(({ family }) => family)).size;
  const cases = `${counted(training.length, 'training case')}, ${counted(heldOut.length, 'held-out case')}`;
  return `${cases} (${families} ${families === 1 ? 'family' : 'families'}, seed ${seed})`;
}

function stepHead({ number, ideas, reference, level }: ImprovementStep): string {
  const tried = ideas.filter(({ training }) => training !== null).length;
  const rate = `error rate ${Math.round(level * 100_000) / 1_000} %`;
  return `step ${number}: ${counted(ideas.length, 'idea')} proposed, ${tried} tried against ${reference} (${rate})`;
}

function stepLines(step: ImprovementStep): string[] {
  const leftOut = step.proposal?.tracesLeftOut ?? 0;
  const left = leftOut === 0 ? [] : [`    ${counted(leftOut, 'trace')} not shown to the model: held-out text in it`];
  return [
    `  ${stepHead(step)}`,
    ...left,
    ...step.ideas.flatMap((idea) => ideaLines(idea).map((line) => `    ${line}`)),
  ];
}

function ideaLines(idea: Idea): string[] {
  const { arm, title, state, problem } = idea;
  const indented = [...(problem === null ? [] : [printable(problem)]), ...evidenceLines(idea)];
  return [`${arm} ${stateWords[state]}: ${printable(title)}`, ...indented.map((line) => `  ${line}`)];
}

function evidenceLines({ training, heldOut, trials, costUsd }: Idea): string[] {
  return [
    ...(training ? [`training: ${training.summary}`] : []),
    ...(heldOut ? [`held out: ${heldOut.summary}`] : []),
    ...(trials > 0 ? [`${counted(trials, 'trial')}, ${usd(costUsd)}`] : []),
  ];
}

function ideaMarkdown(idea: Idea): string[] {
  const { arm, title, state, problem, rationale, diff } = idea;
  const points = [...(problem === null ? [] : [problem]), ...evidenceLines(idea)].map((line) => `- ${line}`);
  return [
    `### ${arm}, ${stateWords[state]}: ${title}`,
    rationale,
    ...(points.length === 0 ? [] : [points.join('\n')]),
    ...(diff === null ? [] : [fenced(diff)]),
  ];
}

/** The fence is longer than any in the text. */
function fenced(diff: string): string {
  const longest = Math.max(2, ...(diff.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}diff\n${diff.trimEnd()}\n${fence}`;
}

function endText({ ending, reason, steps }: Improvement): string {
  if (ending === null) return 'interrupted';
  const kept = steps.flatMap((step) => step.kept ?? []);
  const result = kept.length === 0 ? 'nothing kept' : `kept ${kept.join(', ')}`;
  return `${result}; ended because ${endingWords[ending]}${reason === null ? '' : `: ${reason}`}`;
}

function costText({ spentUsd, unpricedTrials, request: { maxUsd }, steps }: Improvement): string {
  const isKnown = unpricedTrials === 0 && steps.every(({ proposal }) => proposal?.costUsd !== null);
  const limit = maxUsd === null ? '' : ` of $${maxUsd}`;
  const unpriced = unpricedTrials === 0 ? '' : ` (${counted(unpricedTrials, 'trial')} without a known cost)`;
  return `cost: ${isKnown ? '' : 'at least '}${usd(spentUsd)}${limit}${unpriced}`;
}

function usd(value: number | null): string {
  return value === null ? 'cost not known' : `$${value.toFixed(4)}`;
}
