import { describe, expect, it } from 'vitest';
import { renderInApp } from '../../testing/render-in-app.tsx';
import { WeightBar } from './weight-bar.tsx';

async function renderBar(criteria: readonly unknown[]) {
  const { container } = await renderInApp(() => <WeightBar criteria={criteria} />);
  const widths = [...container.querySelectorAll<HTMLElement>('figure [style]')].map(({ style }) => style.width);
  return { widths, texts: [...container.querySelectorAll('li')].map(({ textContent }) => textContent) };
}

describe('the bar of weights', () => {
  it('has a part for each criterion with a weight, named for those who do not see it', async () => {
    const criteria = [{ id: 'done', weight: 0.75 }, { weight: 0.25, description: '' }, { id: 'x', weight: 'much' }, 7];
    expect(await renderBar(criteria)).toEqual({ widths: ['75%', '25%'], texts: ['done75 %', 'criterion 225 %'] });
  });

  it('leaves an end empty where weight is missing, and fits where there is too much', async () => {
    expect((await renderBar([{ id: 'a', weight: 0.5 }])).widths).toEqual(['50%']);
    expect(
      (
        await renderBar([
          { id: 'b', weight: 3 },
          { id: 'c', weight: 1 },
        ])
      ).widths,
    ).toEqual(['75%', '25%']);
    expect(await renderBar([{ id: 'd' }])).toEqual({ widths: [], texts: [] });
  });
});
