import type { Evidence, JudgeAnswer, JudgedCriterion } from '../../../../domain/judge-result.ts';
import type { TrialRecord } from '../../../../domain/record.ts';
import { reusedVerdictText } from '../../../../domain/reuse.ts';
import { costText, figureText } from '../../../presentation/figures.ts';
import { valueText } from '../../../presentation/trial-text.ts';
import { formatRoute } from '../route.ts';
import { badge, element, fact, hidden, remark, type State, section, table } from './elements.ts';

/** The verdict of the judge, each criterion with the passages of the trace that it rests on. */
export function judgeSection({ judge, trialId }: TrialRecord): HTMLElement | undefined {
  if (!judge) return undefined;
  const panel = judge.panel ?? [];
  return section(
    'Judge',
    ...answerParts(judge, trialId),
    judge.spread &&
      element(
        'p',
        { class: 'muted' },
        `Scores of the panel: mean ${figureText(judge.spread.mean)}, from ${figureText(judge.spread.min)} to ${figureText(judge.spread.max)}`,
      ),
    ...panel.map((member, index) =>
      element(
        'details',
        { class: 'member' },
        element(
          'summary',
          {},
          `${member.model ?? `Judge ${index + 1}`}: ${member.state}${member.score === undefined ? '' : `, ${figureText(member.score)}`}`,
        ),
        ...answerParts(member, trialId),
      ),
    ),
  );
}

function answerParts(answer: JudgeAnswer, trialId: string): (HTMLElement | undefined)[] {
  const { state, reason, warnings, criteria = [], fault, raw, response } = answer;
  const rows = criteria.map((criterion) => criterionRow(criterion, trialId));
  return [
    element('p', { class: 'headline' }, badge(state), element('span', {}, reason)),
    element('dl', { class: 'facts' }, ...answerFacts(answer)),
    fault && remark('warning', element('strong', {}, fault.code), ` ${fault.message} ${fault.hint}`),
    ...warnings.map((warning) => remark('note', warning)),
    rows.length > 0 ? table('Criteria of the judge', ['', 'Criterion', 'Reason', 'Evidence'], rows) : undefined,
    raw === undefined ? undefined : hidden('The reply that could not be read', raw),
    response === undefined || rows.length > 0 ? undefined : hidden('Response', valueText(response)),
  ];
}

function answerFacts({
  mode,
  model,
  score,
  threshold,
  confidence,
  promptVersion,
  costUsd,
  isCached,
}: JudgeAnswer): HTMLElement[] {
  return [
    ...(model === undefined ? [] : [fact('Model', model)]),
    fact('Mode', mode),
    ...(score === undefined
      ? []
      : [
          fact(
            'Score',
            `${figureText(score)}${threshold === undefined ? '' : ` (from ${figureText(threshold)} on passes)`}`,
          ),
        ]),
    ...(confidence === undefined ? [] : [fact('Says it is sure', figureText(confidence))]),
    fact('Prompt', promptVersion),
    ...(costUsd === null || costUsd === 0 ? [] : [fact('Cost', costText(costUsd))]),
    ...(isCached ? [fact('Reused', reusedVerdictText)] : []),
  ];
}

function criterionRow(criterion: JudgedCriterion, trialId: string) {
  const { kind, text, answer, reason, evidence, score } = criterion;
  const state = stateOf(criterion);
  const label = kind === 'failure' ? 'must not hold: ' : '';
  return {
    isProblem: state !== 'pass' && state !== 'measured',
    cells: [
      badge(state),
      element(
        'div',
        {},
        `${label}${text}`,
        score !== undefined && element('span', { class: 'muted' }, ` ${figureText(score)}`),
      ),
      element('div', {}, answer === 'cannot-tell' && element('strong', {}, 'Cannot tell. '), reason),
      element('ul', { class: 'evidence' }, ...evidence.map((item) => evidenceItem(item, trialId))),
    ],
  };
}

function stateOf({ kind, answer }: JudgedCriterion): State {
  if (answer === 'cannot-tell') return 'error';
  if (kind === 'weighted') return 'measured';
  return (answer === 'met') === (kind !== 'failure') ? 'pass' : 'fail';
}

function evidenceItem({ event, quote, isVerified, file, line }: Evidence, trialId: string): HTMLElement {
  const number = /^e(\d+)$/.exec(event)?.[1];
  const place =
    number === undefined
      ? element('span', {}, file === undefined ? event : `${file}:${line}`)
      : element('a', { href: formatRoute({ view: 'trial', trialId, event: Number(number) }) }, event);
  return element(
    'li',
    {},
    place,
    element('q', {}, quote),
    !isVerified && element('strong', { class: 'error' }, ' not found in that event'),
  );
}
