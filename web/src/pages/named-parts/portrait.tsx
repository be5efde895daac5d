import { useState } from 'react';
import { apiUrl } from '../../data/api.ts';
import { classes } from '../../kit/classes.ts';
import { drawnPortrait } from './drawn-portrait.ts';

interface PortraitProps {
  readonly name: string;
  /** The file that the persona names. */
  readonly file: unknown;
  readonly size: number;
}

/** A persona's picture: the file that it names, and otherwise one that is drawn from its name. Its name stands beside it. */
export function Portrait({ name, file, size }: PortraitProps) {
  const [failed, setFailed] = useState<unknown>();
  const look = 'shrink-0 rounded-full';
  if (typeof file !== 'string' || file === failed) return <DrawnPortrait name={name} size={size} className={look} />;
  return (
    <img
      key={file}
      src={apiUrl(`/personas/${encodeURIComponent(name)}/portrait`)}
      alt=""
      width={size}
      height={size}
      className={classes(look, 'object-cover')}
      style={{ width: size, height: size }}
      onError={() => setFailed(file)}
    />
  );
}

function DrawnPortrait({ name, size, className }: { name: string; size: number; className: string }) {
  const { initials, ground, shapes } = drawnPortrait(name);
  return (
    <svg aria-hidden viewBox="0 0 40 40" width={size} height={size} className={classes(className, 'overflow-hidden')}>
      <rect width={40} height={40} fill={ground} />
      {shapes.map(({ x, y, radius, fill }) => (
        <circle key={`${x} ${y}`} cx={x} cy={y} r={radius} fill={fill} />
      ))}
      <text x={20} y={21} textAnchor="middle" dominantBaseline="central" fontSize={16} fontWeight={600} fill="#fff">
        {initials}
      </text>
    </svg>
  );
}
