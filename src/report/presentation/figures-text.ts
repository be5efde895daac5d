import { grouped, unknownFigure } from '../../shared/format.ts';

/** A share in percent: `80 %`, `99.6 %`; never 100 % for less than all, and never 0 % for more than none. */
export function percentText(share: number): string {
  const percent = share * 100;
  const isRounded = Math.abs(percent - Math.round(percent)) < 1e-9;
  if (isRounded) return `${Math.round(percent)} %`;
  const text = percent > 99 || percent < 1 ? percent.toFixed(1) : percent.toFixed(0);
  if (Number(text) === 100) return '> 99.9 %';
  return Number(text) === 0 ? '< 0.1 %' : `${text} %`;
}

/** Dollars with as many digits as small amounts need; `–` where nobody reported them. */
export function costText(usd: number | null): string {
  if (usd === null) return unknownFigure;
  if (!Number.isFinite(usd)) return 'unknown';
  if (usd === 0) return '$0';
  if (usd < 0.0001) return '< $0.0001';
  if (usd < 0.1) return `$${usd.toFixed(4)}`;
  const [dollars, cents] = usd.toFixed(2).split('.');
  return `$${grouped(Number(dollars))}.${cents}`;
}

/** A figure of unknown size: whole numbers as they are, others with four significant digits. */
export function figureText(value: number): string {
  if (!Number.isFinite(value)) return 'not a number';
  return Number.isInteger(value) ? grouped(value) : grouped(Number(value.toPrecision(4)));
}

/** `2026-11-15 08:19 UTC` */
export function timeText(at: number): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? 'unknown time' : `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
