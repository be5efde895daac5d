import type { FrontPicture } from '../../../src/report/presentation/front-picture.ts';
import { classes } from './classes.ts';
import { useWidth } from './scroll-box.tsx';

const height = 300;

/** Quality against what it takes: a point for each variant, and the line of those that no other beats in both. */
export function FrontChart({
  label,
  pictureOf,
}: {
  label: string;
  pictureOf: (width: number, height: number) => FrontPicture | undefined;
}) {
  const [ref, width] = useWidth<HTMLDivElement>();
  const picture = width > 0 ? pictureOf(width, height) : undefined;
  return (
    <div ref={ref} style={{ minHeight: height }}>
      {picture && (
        <svg role="img" aria-label={label} width={width} height={height} className="overflow-visible">
          <Axes picture={picture} />
          <polyline
            fill="none"
            points={picture.line.map((corner) => corner.join(',')).join(' ')}
            className="stroke-accent"
            strokeWidth={2}
          />
          {picture.points.map((point) => (
            <g key={point.label} className={point.isOnFront ? 'stroke-accent' : 'stroke-muted'}>
              <title>{point.text}</title>
              <line x1={point.left} x2={point.right} y1={point.y} y2={point.y} />
              <line x1={point.x} x2={point.x} y1={point.top} y2={point.bottom} />
              <circle
                cx={point.x}
                cy={point.y}
                r={5}
                className={classes('stroke-none', point.isOnFront ? 'fill-accent' : 'fill-muted')}
              />
              <text x={point.x + 8} y={point.y - 8} className="fill-ink stroke-none text-xs">
                {point.label}
              </text>
            </g>
          ))}
        </svg>
      )}
    </div>
  );
}

function Axes({ picture: { xTicks, yTicks, width } }: { picture: FrontPicture }) {
  return (
    <>
      {yTicks.map(({ at, text }) => (
        <g key={at}>
          <line x1={56} x2={width - 24} y1={at} y2={at} className="stroke-line" />
          <text x={50} y={at + 4} textAnchor="end" className="fill-muted text-2xs tabular-nums">
            {text}
          </text>
        </g>
      ))}
      {xTicks.map(({ at, text }) => (
        <text key={at} x={at} y={height - 18} textAnchor="middle" className="fill-muted text-2xs tabular-nums">
          {text}
        </text>
      ))}
    </>
  );
}
