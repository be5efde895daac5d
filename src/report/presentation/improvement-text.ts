import type { Idea, Improvement, ImprovementEnding, ImprovementStep } from '../../domain/improvement.ts';
import { type Block, list, type Section, text } from '../../shared/blocks/block.ts';
import { counted, costText as usdText } from '../../shared/format.ts';

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

/**
 * The report of an improvement: every idea with its evidence and its cost, and the diff of all that was kept; where it is whole,
 * also the rationale and the diff of each idea.
 */
export function improvementSections(improvement: Improvement, isWhole: boolean): Section[] {
  const { id, file, steps, diff, applied } = improvement;
  const isOpen = diff !== null && applied.length === 0;
  return [
    { title: `${id}: ${file}`, level: 1, blocks: [text(splitText(improvement))] },
    ...steps.map((step) => ({ title: stepHead(step), blocks: stepBlocks(step, isWhole) })),
    {
      title: 'Result',
      blocks: [
        text(endText(improvement)),
        text(costText(improvement)),
        ...(diff === null ? [] : [diffBlock(diff)]),
        ...(applied.length === 0 ? [] : [text(`Applied to ${applied.join(', ')}.`)]),
        ...(isOpen ? [text(`Apply it with: assay experiment improve --resume ${id} --apply`)] : []),
      ],
    },
  ];
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

function stepBlocks({ ideas, proposal }: ImprovementStep, isWhole: boolean): Block[] {
  const leftOut = proposal?.tracesLeftOut ?? 0;
  const left = `${counted(leftOut, 'trace')} not shown to the model: held-out text in it`;
  return [
    ...(leftOut === 0 ? [] : [text(left)]),
    ...ideas.flatMap((idea): Block[] => {
      const { arm, title, state, problem, rationale, diff } = idea;
      const below = [...(problem === null ? [] : [problem]), ...evidenceLines(idea), ...(isWhole ? [rationale] : [])];
      return [
        list([{ words: [{ text: `${arm} ${stateWords[state]}`, tone: 'strong' }, `: ${title}`], below }]),
        ...(isWhole && diff !== null ? [diffBlock(diff)] : []),
      ];
    }),
  ];
}

function diffBlock(diff: string): Block {
  return { kind: 'code', text: diff, language: 'diff' };
}

function evidenceLines({ training, heldOut, trials, costUsd }: Idea): string[] {
  return [
    ...(training ? [`training: ${training.summary}`] : []),
    ...(heldOut ? [`held out: ${heldOut.summary}`] : []),
    ...(trials > 0 ? [`${counted(trials, 'trial')}, ${costUsd === null ? 'cost not known' : usdText(costUsd)}`] : []),
  ];
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
  return `cost: ${isKnown ? '' : 'at least '}${usdText(spentUsd)}${limit}${unpriced}`;
}
