import type { MetricComparison } from '../../../../src/report/compare/comparison.ts';
import { decidedAnswer } from '../../../../src/report/compare/figure-words.ts';
import { classes } from '../../kit/classes.ts';
import { answerLook } from './answer-look.ts';
import { intervalText } from './figure-text.ts';
import { drawnInterval } from './interval-scale.ts';

/** A difference with its interval: the line in the middle is no difference, the band what is too small to matter. */
export function IntervalBar({ metric }: { metric: MetricComparison }) {
  const drawn = drawnInterval(metric);
  if (!drawn) return <span className="text-xs text-muted">too few cases</span>;
  const { fill, stroke } = answerLook(decidedAnswer({ ...metric, within: null }));
  return (
    <svg
      viewBox="0 0 100 20"
      preserveAspectRatio="none"
      role="img"
      aria-label={`95 % interval ${intervalText(metric)}`}
      className="block h-5 w-28"
    >
      <rect x={drawn.bandLow} y={0} width={drawn.bandHigh - drawn.bandLow} height={20} className="fill-raised" />
      <line x1={50} x2={50} y1={0} y2={20} vectorEffect="non-scaling-stroke" className="stroke-edge" />
      <line
        x1={drawn.low}
        x2={Math.max(drawn.high, drawn.low + 0.5)}
        y1={10}
        y2={10}
        strokeWidth={2}
        vectorEffect="non-scaling-stroke"
        className={stroke}
      />
      <rect x={drawn.estimate - 1.5} y={5} width={3} height={10} className={classes(fill)} />
    </svg>
  );
}
