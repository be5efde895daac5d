import { counted } from '../../shared/format.ts';
import type { VarianceSplit } from '../../shared/stats/variance-split.ts';

/** What asking the judge again has shown, for people: as standard deviations, which are on the scale of the scores. */
export function varianceText(split: VarianceSplit): string {
  const { judge, agent, judgeShare } = split;
  const asked = `${counted(split.judgements, 'judgement')} of ${counted(split.traces, 'trace')} (${counted(split.cases, 'case')})`;
  if (judge === null)
    return `  No trace has two judgements, so nothing can be said of how steady the judge is: ${asked}.\n`;
  const ofJudge = `The same trace judged again differs by ${deviation(judge)}`;
  if (agent === null) {
    return `  ${ofJudge} (standard deviation of ${asked}).\n  Every case was tried once, so nothing can be said of the agent: run it with --repeat.\n`;
  }
  if (judgeShare === null) return `  All scores of a case are the same: neither judge nor agent varies (${asked}).\n`;
  const percent = Math.round(judgeShare * 100);
  return `  ${ofJudge}, another repeat of the agent by ${deviation(agent)} (standard deviations of ${asked}).\n  ${percent} % of the variance of a score over repeats comes from the judge, ${100 - percent} % from the agent.\n`;
}

function deviation(variance: number): string {
  return Math.sqrt(variance).toFixed(3);
}
