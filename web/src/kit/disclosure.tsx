import { Tabs as BaseTabs } from '@base-ui/react/tabs';
import { ChevronRight } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { grouped } from '../../../src/shared/format.ts';
import { classes } from './classes.ts';
import { useOverflow } from './scroll-box.tsx';

/** Something that can be folded; what is folded from the start is not drawn before it is opened. */
export function Disclosure({
  summary,
  children,
  isOpen: isOpenAtFirst = false,
  isWide = false,
}: {
  summary: ReactNode;
  children: ReactNode;
  isOpen?: boolean;
  /** It is a part of the page on its own: the whole line opens it, and its content has the whole width. */
  isWide?: boolean;
}) {
  const [isOpen, setIsOpen] = useState(isOpenAtFirst);
  const [wasOpened, setWasOpened] = useState(isOpenAtFirst);
  return (
    <details
      open={isOpen}
      onToggle={(event) => {
        setIsOpen(event.currentTarget.open);
        if (event.currentTarget.open) setWasOpened(true);
      }}
      className="group min-w-0"
    >
      <summary
        className={classes(
          'flex list-none items-center gap-1.5 rounded select-none hover:text-accent [&::-webkit-details-marker]:hidden',
          isWide ? 'min-h-11 px-4 py-2 text-sm font-semibold' : 'py-0.5',
        )}
      >
        <ChevronRight size={14} aria-hidden className="shrink-0 text-muted transition-transform group-open:rotate-90" />
        <span className="min-w-0 flex-1">{summary}</span>
      </summary>
      {wasOpened && <div className={isWide ? undefined : 'pt-1.5 pl-5'}>{children}</div>}
    </details>
  );
}

interface Segment<Key> {
  readonly key: Key;
  readonly label: string;
  readonly icon?: ReactNode;
}

/** A choice between a few ways to show something. */
export function Segments<Key extends string>({
  label,
  choices,
  value,
  onChange,
}: {
  label: string;
  choices: readonly Segment<Key>[];
  value: Key;
  onChange: (key: Key) => void;
}) {
  return (
    <fieldset className="flex max-w-full shrink-0 flex-wrap self-start overflow-hidden rounded-md border border-line bg-surface">
      <legend className="sr-only">{label}</legend>
      {choices.map((choice) => (
        <button
          key={choice.key}
          type="button"
          aria-pressed={choice.key === value}
          onClick={() => onChange(choice.key)}
          className={classes(
            'inline-flex items-center gap-1 whitespace-nowrap border-l border-line px-2.5 py-0.5 text-sm -outline-offset-2 first-of-type:border-l-0',
            choice.key === value ? 'bg-accent-ground font-medium text-accent' : 'text-muted hover:text-ink',
          )}
        >
          {choice.icon}
          {choice.label}
        </button>
      ))}
    </fieldset>
  );
}

export interface Tab {
  readonly key: string;
  readonly label: string;
  readonly count?: number;
}

/** Switches between views of the same thing; the chosen view is given as children. */
export function Tabs({
  tabs,
  value,
  onChange,
  label,
  children,
}: {
  tabs: readonly Tab[];
  value: string;
  onChange: (key: string) => void;
  label?: string;
  children?: ReactNode;
}) {
  const [list] = useOverflow<HTMLDivElement>();
  return (
    <BaseTabs.Root value={value} onValueChange={(key) => onChange(String(key))} className="min-w-0">
      <BaseTabs.List
        ref={list}
        aria-label={label}
        activateOnFocus
        className="flex gap-1 overflow-x-auto overflow-y-hidden border-b border-line [scrollbar-width:none]"
      >
        {tabs.map((tab) => (
          <BaseTabs.Tab
            key={tab.key}
            value={tab.key}
            className="-mb-px flex h-9 items-center gap-1.5 border-b-2 border-transparent px-2.5 text-sm whitespace-nowrap text-muted -outline-offset-2 hover:text-ink data-active:border-accent data-active:font-medium data-active:text-ink"
          >
            {tab.label}
            {tab.count !== undefined && (
              <span className="rounded bg-raised px-1.5 text-xs text-muted tabular-nums">{grouped(tab.count)}</span>
            )}
          </BaseTabs.Tab>
        ))}
      </BaseTabs.List>
      {children !== undefined && (
        <BaseTabs.Panel value={value} className="pt-4">
          {children}
        </BaseTabs.Panel>
      )}
    </BaseTabs.Root>
  );
}
