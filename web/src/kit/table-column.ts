import type { LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';

export interface Column<Row> {
  readonly key: string;
  readonly header: ReactNode;
  readonly render: (row: Row) => ReactNode;
  /** As in `grid-template-columns`; `minmax(0, 1fr)` by default. */
  readonly width?: string;
  readonly align?: 'start' | 'end';
  /** The argument of `onSort` when the head of this column is pressed. */
  readonly sortKey?: string;
  /** The cell that carries the link of the row; the first by default. It contains no other links. */
  readonly isMain?: boolean;
}

export interface Sort {
  readonly key: string;
  readonly direction: 'asc' | 'desc';
}

export type RowLink = Pick<LinkProps, 'to' | 'params' | 'search' | 'replace' | 'resetScroll'>;
