import { type ReactNode, useState } from 'react';
import { grouped } from '../../../../../src/shared/format.ts';
import { classes } from '../../../kit/classes.ts';
import { EmptyCard, Remark } from '../../../kit/page.tsx';
import { SearchInput } from '../../../kit/text-input.tsx';

/** Something that the server offers, as a line of a list. */
export interface OfferItem {
  readonly key: string;
  readonly label: string;
  readonly note?: string | undefined;
}

const searchedFrom = 8;

/** The list of tools, prompts or resources beside the chosen one. */
export function OffersPanel({
  noun,
  items,
  problem,
  chosen,
  onChoose,
  children,
}: {
  noun: string;
  items: readonly OfferItem[];
  problem: string | null;
  chosen: string | undefined;
  onChoose: (key: string) => void;
  /** The details of the chosen one. */
  children: ReactNode;
}) {
  const [text, setText] = useState('');
  const wanted = text.toLowerCase();
  const found = items.filter(({ key, label }) => `${key}\n${label}`.toLowerCase().includes(wanted));
  return (
    <div className="flex flex-col gap-4">
      {problem !== null && <Remark tone="warn">{problem}</Remark>}
      {items.length === 0 && problem === null && <EmptyCard title={`The server offers no ${noun}`} />}
      {items.length > 0 && (
        <div className="grid items-start gap-4 lg:grid-cols-[17rem_minmax(0,1fr)]">
          <div className="flex min-w-0 flex-col gap-2">
            {items.length >= searchedFrom && (
              <SearchInput value={text} onChange={setText} placeholder={`Search ${grouped(items.length)} ${noun}`} />
            )}
            <div
              role="region"
              aria-label={`List of ${noun}`}
              tabIndex={0}
              className="max-h-56 overflow-auto rounded-lg border border-line bg-surface lg:max-h-140"
            >
              <ul className="p-1">
                {found.map((item) => (
                  <li key={item.key}>
                    <OfferButton item={item} isChosen={item.key === chosen} onChoose={onChoose} />
                  </li>
                ))}
              </ul>
              {found.length === 0 && <p className="p-3 text-muted">Nothing matches.</p>}
            </div>
          </div>
          <div className="flex min-w-0 flex-col gap-4">{children}</div>
        </div>
      )}
    </div>
  );
}

function OfferButton({
  item: { key, label, note },
  isChosen,
  onChoose,
}: {
  item: OfferItem;
  isChosen: boolean;
  onChoose: (key: string) => void;
}) {
  return (
    <button
      type="button"
      aria-current={isChosen || undefined}
      onClick={() => onChoose(key)}
      className={classes(
        'block w-full rounded-md px-2.5 py-1.5 text-left -outline-offset-2 hover:bg-raised',
        isChosen && 'bg-accent-ground',
      )}
    >
      <span className={classes('block truncate font-mono text-xs', isChosen && 'font-semibold')}>{label}</span>
      {note !== undefined && <span className="block truncate text-xs text-muted">{note}</span>}
    </button>
  );
}
