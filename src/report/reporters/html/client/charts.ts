import type { Interval } from '../../../../shared/stats/pass-rate.ts';
import { histogram, quantile } from '../chart-data.ts';
import { element, section, shape } from './elements.ts';

/** A share as a bar with its interval as a line over it, and the same in words. */
export function rateBar(share: number | null, interval: Interval | null, text: string): HTMLElement {
  if (share === null || interval === null) return element('span', { class: 'muted' }, text);
  const { low, high } = interval;
  const drawing = shape(
    'svg',
    { viewBox: '0 0 100 14', preserveAspectRatio: 'none', 'aria-hidden': 'true', class: 'rate' },
    shape('rect', { x: 0, y: 3, width: 100, height: 8, class: 'track' }),
    shape('rect', { x: 0, y: 3, width: share * 100, height: 8, class: 'filled' }),
    shape('line', { x1: low * 100, x2: high * 100, y1: 7, y2: 7, class: 'interval' }),
    shape('line', { x1: low * 100, x2: low * 100, y1: 2, y2: 12, class: 'interval' }),
    shape('line', { x1: high * 100, x2: high * 100, y1: 2, y2: 12, class: 'interval' }),
  );
  return element('span', { class: 'rated' }, drawing, element('span', {}, text));
}

const width = 480;
const height = 120;

/** How often which value occurs, with the quantiles that matter in words. */
export function histogramChart(
  title: string,
  values: readonly number[],
  textOf: (value: number) => string,
): HTMLElement {
  const bins = histogram(values);
  const most = Math.max(1, ...bins.map(({ count }) => count));
  const column = width / Math.max(bins.length, 1);
  const bars = bins.map(({ low, high, count }, index) => {
    const tall = count === 0 ? 0 : Math.max(2, (count / most) * height);
    const attributes = { x: index * column + 1, y: height - tall, width: Math.max(column - 2, 1), height: tall };
    return shape('rect', attributes, shape('title', {}, `${textOf(low)} to ${textOf(high)}: ${count}`));
  });
  const quantiles = `median ${textOf(quantile(values, 0.5))}, nine of ten below ${textOf(quantile(values, 0.9))}, largest ${textOf(quantile(values, 1))}`;
  const attributes = {
    viewBox: `0 0 ${width} ${height}`,
    class: 'histogram',
    role: 'img',
    'aria-label': `${title}: ${quantiles}`,
  };
  return section(
    title,
    shape('svg', attributes, ...bars, shape('line', { x1: 0, x2: width, y1: height, y2: height, class: 'axis' })),
    element(
      'div',
      { class: 'axis-labels', 'aria-hidden': 'true' },
      element('span', {}, textOf(bins[0]?.low ?? 0)),
      element('span', {}, textOf(bins.at(-1)?.high ?? 0)),
    ),
    element('p', { class: 'muted' }, quantiles),
  );
}
