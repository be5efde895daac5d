import { describe, expect, it } from 'vitest';
import { renderInApp } from '../testing/render-in-app.tsx';
import { DataTable, type DataTableProps } from './data-table.tsx';
import type { Column, Sort } from './table-column.ts';

interface Fruit {
  readonly name: string;
  readonly weight: number;
}

const fruits: readonly Fruit[] = [
  { name: 'Apple', weight: 150 },
  { name: 'Banana', weight: 120 },
  { name: 'Cherry', weight: 8 },
];

const columns: readonly Column<Fruit>[] = [
  { key: 'name', header: 'Name', render: ({ name }) => name },
  { key: 'weight', header: 'Weight', sortKey: 'weight', render: ({ weight }) => weight },
];

function renderTable(props: Partial<DataTableProps<Fruit>> = {}) {
  return renderInApp(() => (
    <DataTable
      label="Fruits"
      columns={columns}
      rows={fruits}
      rowKey={({ name }) => name}
      rowLink={({ name }) => ({ to: '/', search: { name } as never })}
      {...props}
    />
  ));
}

describe('a data table', () => {
  it('has a row for each item, after the row of its heads', async () => {
    const { findByRole, getAllByRole } = await renderTable();
    expect((await findByRole('table', { name: 'Fruits' })).getAttribute('aria-rowcount')).toBe('4');
    expect(getAllByRole('row')).toHaveLength(4);
    expect(getAllByRole('link').map((link) => link.textContent)).toEqual(['Apple', 'Banana', 'Cherry']);
  });

  it('names figures where the heads of their columns are out of sight', async () => {
    const labelled = [columns[0], { ...columns[1], align: 'end' }] as typeof columns;
    const { findAllByRole } = await renderTable({ columns: labelled });
    const texts = (await findAllByRole('cell')).map(({ textContent }) => textContent);
    expect(texts.slice(0, 2)).toEqual(['Apple', 'Weight150']);
  });

  it('sorts downwards first, then upwards, and only by columns that can be sorted', async () => {
    const sorts: Sort[] = [];
    const onSort = (sort: Sort): void => void sorts.push(sort);
    const { findByRole, queryByRole, user, unmount } = await renderTable({ onSort });
    await user.click(await findByRole('button', { name: 'Weight' }));
    expect(queryByRole('button', { name: 'Name' })).toBeNull();
    unmount();
    const sorted = await renderTable({ onSort, sort: { key: 'weight', direction: 'desc' } });
    expect((await sorted.findByRole('columnheader', { name: 'Weight' })).getAttribute('aria-sort')).toBe('descending');
    await sorted.user.click(sorted.getByRole('button', { name: 'Weight' }));
    expect(sorts).toEqual([
      { key: 'weight', direction: 'desc' },
      { key: 'weight', direction: 'asc' },
    ]);
  });

  it('moves between its rows by keyboard', async () => {
    const { findAllByRole, user } = await renderTable();
    const [apple, banana, cherry] = await findAllByRole('link');
    apple?.focus();
    await user.keyboard('{ArrowDown}');
    expect(document.activeElement).toBe(banana);
    await user.keyboard('{End}');
    expect(document.activeElement).toBe(cherry);
    await user.keyboard('kk');
    expect(document.activeElement).toBe(apple);
  });

  it('shows its empty state only after loading', async () => {
    const empty = <p>No fruits yet</p>;
    const loading = await renderTable({ rows: [], isLoading: true, empty });
    expect(await loading.findByRole('table')).toBeTruthy();
    expect(loading.queryByText('No fruits yet')).toBeNull();
    loading.unmount();
    const { findByText } = await renderTable({ rows: [], empty });
    expect(await findByText('No fruits yet')).toBeTruthy();
  });

  it('requests the next page near its end', async () => {
    let requested = 0;
    const { findByText } = await renderTable({
      hasMore: true,
      onEndReached: () => {
        requested += 1;
      },
    });
    await findByText('Loading more …');
    expect(requested).toBeGreaterThan(0);
  });
});
