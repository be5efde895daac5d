import { Ban, Check, CircleDashed, Minus, TriangleAlert, X } from 'lucide-react';
import type { EvaluatorResult } from '../../../../../src/domain/outcome.ts';
import { Badge, type Tone } from '../../../kit/badge.tsx';

export type AnswerState = EvaluatorResult['state'];

const looks = {
  pass: { tone: 'good', Icon: Check, word: 'pass' },
  fail: { tone: 'bad', Icon: X, word: 'fail' },
  error: { tone: 'warn', Icon: TriangleAlert, word: 'not judged' },
  skipped: { tone: 'neutral', Icon: Ban, word: 'skipped' },
  measured: { tone: 'neutral', Icon: Minus, word: 'measured' },
  'no-data': { tone: 'neutral', Icon: Minus, word: 'no data' },
  pending: { tone: 'info', Icon: CircleDashed, word: 'not yet' },
} as const satisfies Record<AnswerState, { tone: Tone; Icon: unknown; word: string }>;

/** The state of a result, by colour, sign and word. */
export function StateBadge({ state, word }: { state: AnswerState; word?: string }) {
  const { tone, Icon, word: usual } = looks[state];
  return (
    <Badge tone={tone} icon={<Icon size={12} aria-hidden strokeWidth={2.5} />}>
      {word ?? usual}
    </Badge>
  );
}
