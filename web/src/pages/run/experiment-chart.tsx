import { useState } from 'react';
import { niceScale, type Scale } from '../../../../src/report/presentation/chart-scale.ts';
import { FigureFrame, Grid, plot } from '../../kit/chart-plot.tsx';
import { answerLook } from '../compare/answer-card.tsx';
import { type ArmHistory, type DrawnLook, estimateText, rangeOf } from './experiment-figures.ts';

const height = 190;
const foot = 20;

interface LooksChartProps {
  readonly history: ArmHistory;
  /** How many rounds the plan has; those that were not needed stay empty. */
  readonly rounds: number;
  readonly label: string;
  readonly format: (value: number) => string;
}

/** A variant against the reference after each round, with its interval. The table below has the same figures. */
export function LooksChart({ history, rounds, label, format }: LooksChartProps) {
  const [pointed, setPointed] = useState<number | null>(null);
  const { looks, equal, margin, isRatio } = history;
  const ends = looks.flatMap(({ estimate, interval }) => [
    estimate,
    interval?.low ?? estimate,
    interval?.high ?? estimate,
  ]);
  const scale = niceScale([equal, ...(margin ? [margin.low, margin.high] : []), ...ends], height - foot, plot.top);
  const current = looks.find(({ round }) => round === pointed) ?? looks.at(-1);
  const drawing = (width: number) => {
    const columnWidth = Math.max(0, width - plot.left - plot.right) / Math.max(1, rounds);
    const xOf = (round: number): number => plot.left + columnWidth * (round - 0.5);
    return (
      <>
        {margin && <Margin margin={margin} scale={scale} width={width} />}
        <Grid scale={scale} width={width} format={format} />
        <line
          x1={plot.left}
          x2={width - plot.right}
          y1={scale.place(equal)}
          y2={scale.place(equal)}
          strokeDasharray="4 3"
          className="stroke-edge"
        />
        {looks.map((look) => (
          <LookMark key={look.round} look={look} x={xOf(look.round)} scale={scale} isPointed={look.round === pointed} />
        ))}
        {Array.from({ length: rounds }, (_, index) => index + 1).map((round) => (
          <g key={round} onPointerEnter={() => setPointed(round)} onPointerLeave={() => setPointed(null)}>
            <rect x={xOf(round) - columnWidth / 2} y={0} width={columnWidth} height={height} fill="transparent" />
            <text x={xOf(round)} y={height - 4} textAnchor="middle" className="fill-muted text-2xs tabular-nums">
              {round}
            </text>
          </g>
        ))}
      </>
    );
  };
  return (
    <figure className="min-w-0">
      <FigureFrame
        label={label}
        current={
          current && (
            <>
              round {current.round}: <span className="font-medium text-ink">{estimateText(current, isRatio)}</span> (
              {rangeOf(current, isRatio)})
            </>
          )
        }
        height={height}
      >
        {drawing}
      </FigureFrame>
    </figure>
  );
}

/** The differences that are too small to matter. */
function Margin({ margin, scale, width }: { margin: { low: number; high: number }; scale: Scale; width: number }) {
  const top = scale.place(margin.high);
  return (
    <rect
      x={plot.left}
      y={top}
      width={Math.max(0, width - plot.left - plot.right)}
      height={Math.max(0, scale.place(margin.low) - top)}
      className="fill-raised"
    />
  );
}

function LookMark({ look, x, scale, isPointed }: { look: DrawnLook; x: number; scale: Scale; isPointed: boolean }) {
  const { fill, stroke } = answerLook(look.look.answer);
  const { interval, estimate } = look;
  return (
    <g className={stroke} strokeWidth={2}>
      {interval && (
        <>
          <line x1={x} x2={x} y1={scale.place(interval.low)} y2={scale.place(interval.high)} />
          <line x1={x - 5} x2={x + 5} y1={scale.place(interval.low)} y2={scale.place(interval.low)} />
          <line x1={x - 5} x2={x + 5} y1={scale.place(interval.high)} y2={scale.place(interval.high)} />
        </>
      )}
      <circle cx={x} cy={scale.place(estimate)} r={isPointed ? 6 : 4.5} className={`${fill} stroke-none`} />
    </g>
  );
}
