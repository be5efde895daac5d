import { afterEach, describe, expect, it, vi } from 'vitest';
import { readFilters, type SavedFilter, withFilter } from '../data/saved-filters.ts';
import { renderInApp } from '../testing/render-in-app.tsx';
import { countedText, FilterTools, type FilterToolsProps } from './filter-tools.tsx';

afterEach(() => localStorage.clear());

function renderTools(props: Partial<FilterToolsProps> = {}) {
  const applied: unknown[] = [];
  const cleared = vi.fn();
  const tools = {
    list: 'runs',
    current: { text: 'order', status: undefined },
    isFiltered: true,
    onClear: cleared,
    onApply: (search: unknown) => applied.push(search),
    ...props,
  } as const;
  return renderInApp(() => <FilterTools {...tools} />).then((screen) => ({ ...screen, applied, cleared }));
}

describe('the tools of a filtered list', () => {
  it('count what matches against all', () => {
    expect(countedText('run', { found: 12, all: 1_480, isFiltered: true })).toBe('12 of 1,480 runs');
    expect(countedText('run', { found: 100, isMore: true, all: 480, isFiltered: true })).toBe('100+ of 480 runs');
    expect(countedText('run', { found: 1, all: 1, isFiltered: false })).toBe('1 run');
    expect(countedText('run', { found: 0, all: 1, isFiltered: true })).toBe('0 of 1 run');
  });

  it('clear the filters at once, where there are some', async () => {
    const { findByRole, user, cleared, unmount } = await renderTools();
    await user.click(await findByRole('button', { name: 'Clear filters' }));
    expect(cleared).toHaveBeenCalledOnce();
    unmount();
    const whole = await renderTools({ isFiltered: false });
    await whole.findByRole('button', { name: 'Saved filters' });
    expect(whole.queryByRole('button', { name: 'Clear filters' })).toBeNull();
  });

  it('save a filter under a name, apply and remove it', async () => {
    const { findByRole, findByLabelText, user, applied, unmount } = await renderTools();
    await user.click(await findByRole('button', { name: 'Saved filters' }));
    await user.type(await findByLabelText('Name of the current filter'), ' Orders {Enter}');
    await findByRole('button', { name: 'Remove Orders' });
    expect(readFilters('runs')).toEqual([{ name: 'Orders', search: { text: 'order' } }]);
    expect(readFilters('results'), 'those of another list').toEqual([]);
    unmount();

    const later = await renderTools({ current: {}, onApply: (search) => applied.push(search) });
    await later.user.click(await later.findByRole('button', { name: 'Saved filters' }));
    await later.findByText('The list has no filter now. Choose one to save it here.');
    await later.user.click(await later.findByRole('button', { name: /^Orders/ }));
    expect(applied).toEqual([{ text: 'order' }]);
    await later.user.click(await later.findByRole('button', { name: 'Saved filters' }));
    await later.user.click(await later.findByRole('button', { name: 'Remove Orders' }));
    expect(readFilters('runs')).toEqual([]);
  });

  it('say that a filter was not kept', async () => {
    const setItem = () => {
      throw new DOMException('full', 'QuotaExceededError');
    };
    vi.stubGlobal('localStorage', { getItem: () => null, setItem, clear: () => undefined });
    const { findByRole, findByLabelText, findByText, queryByRole, user } = await renderTools();
    await user.click(await findByRole('button', { name: 'Saved filters' }));
    await user.type(await findByLabelText('Name of the current filter'), 'Orders{Enter}');
    await findByText(/The browser did not keep the filter/);
    expect(queryByRole('button', { name: 'Remove Orders' })).toBeNull();
  });
});

describe('saved filters', () => {
  it('leave out what cannot be read', () => {
    for (const kept of ['{', '5', 'null', '[{"name":1,"search":{}},{"name":"a","search":{"text":5}},7]']) {
      localStorage.setItem('assay-filters::runs', kept);
      expect(readFilters('runs'), kept).toEqual([]);
    }
  });

  it('have one of each name, and not too many', () => {
    const named = (name: string, text: string): SavedFilter => ({ name, search: { text } });
    expect(withFilter([named('b', '1'), named('c', '1')], named('b', '2'))).toEqual([named('b', '2'), named('c', '1')]);
    const many = Array.from({ length: 50 }, (_, index) => named(`f${index}`, 'x'));
    expect(withFilter(many, named('more', 'x'))).toBeUndefined();
    expect(withFilter(many, named('f7', 'y'))).toHaveLength(50);
  });
});
