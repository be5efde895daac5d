import { ChevronsUpDown } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { classes } from './classes.ts';
import { useFieldTies } from './field-ties.ts';
import { inputLook } from './text-input.tsx';

export interface SelectOption {
  readonly value: string;
  readonly label: string;
  readonly hint?: string;
}

export interface SelectProps {
  /** Heard and not shown; left out inside of a `Field`, which has one. */
  readonly label?: string | undefined;
  readonly options: readonly SelectOption[];
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly className?: string | undefined;
}

/** A report has no options with hints. */
const RichSelect = isReport
  ? PlainSelect
  : lazy(async () => ({ default: (await import('./rich-select.tsx')).RichSelect }));

/**
 * One of several. The browser's
 * own control does where the options are words; where they have hints, a richer one takes its place once it is loaded.
 */
export function Select(props: SelectProps) {
  const plain = <PlainSelect {...props} />;
  if (props.options.every(({ hint }) => hint === undefined)) return plain;
  return (
    <Suspense fallback={plain}>
      <RichSelect {...props} />
    </Suspense>
  );
}

function PlainSelect({ label, options, value, onChange, className }: SelectProps) {
  return (
    <span className={classes('relative inline-flex min-w-0', className)}>
      <select
        aria-label={label}
        {...useFieldTies()}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        className={classes(inputLook, 'h-9 w-full cursor-pointer appearance-none truncate pr-8')}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value} className="bg-surface text-ink">
            {option.label}
          </option>
        ))}
      </select>
      <ChevronsUpDown size={14} aria-hidden className="pointer-events-none absolute top-2.5 right-2.5 text-muted" />
    </span>
  );
}
