import { Search, X } from 'lucide-react';
import { type ComponentProps, type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { classes } from './classes.ts';
import { useFieldTies } from './field-ties.ts';

/** Class names of what one types into. */
export const inputLook =
  'min-w-0 rounded-md border border-edge/60 bg-surface px-2.5 text-sm text-ink hover:border-edge focus-visible:outline-offset-0 disabled:opacity-60 aria-invalid:border-fail';

/** One line of text. */
export function TextInput({ className, onChange, ...rest }: TextProps & Omit<ComponentProps<'input'>, 'onChange'>) {
  return (
    <input
      type="text"
      autoComplete="off"
      spellCheck={false}
      {...useFieldTies()}
      {...rest}
      onChange={(event) => onChange(event.target.value)}
      className={classes(inputLook, 'h-9 w-full read-only:bg-raised', className)}
    />
  );
}

/** Several lines of text; grows with them where the browser can. */
export function TextArea({ className, onChange, ...rest }: TextProps & Omit<ComponentProps<'textarea'>, 'onChange'>) {
  return (
    <textarea
      rows={3}
      {...useFieldTies()}
      {...rest}
      onChange={(event) => onChange(event.target.value)}
      className={classes(
        inputLook,
        'field-sizing-content w-full read-only:bg-raised max-h-[60vh] min-h-16 py-1.5',
        className,
      )}
    />
  );
}

interface TextProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** A number or nothing. Text that is not a number stays to be corrected, and counts as nothing. */
export function NumberInput({
  value,
  onChange,
  className,
  ...rest
}: { readonly value: number | null; readonly onChange: (value: number | null) => void } & Omit<
  ComponentProps<'input'>,
  'value' | 'onChange'
>) {
  const [text, setText] = useState(value === null ? '' : String(value));
  const ties = useFieldTies();
  useEffect(() => setText((known) => (readNumber(known) === value ? known : String(value ?? ''))), [value]);
  return (
    <input
      inputMode="decimal"
      autoComplete="off"
      {...ties}
      {...rest}
      value={text}
      aria-invalid={ties['aria-invalid'] ?? (text.trim() !== '' && readNumber(text) === null)}
      onChange={(event) => {
        setText(event.target.value);
        onChange(readNumber(event.target.value));
      }}
      className={classes(inputLook, 'h-9 w-full tabular-nums', className)}
    />
  );
}

function readNumber(text: string): number | null {
  const number = Number(text.trim());
  return text.trim() === '' || !Number.isFinite(number) ? null : number;
}

const quietMs = 200;

interface SearchInputProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly placeholder: string;
  readonly label?: string;
  /** Goes to the next (Enter) or previous (Shift+Enter) hit of the text; Escape then leaves the field as it is. */
  readonly onStep?: (direction: 1 | -1, text: string) => void;
}

/** A search text, reported after a pause in typing. `/` focuses it. */
export function SearchInput({ value, onChange, placeholder, label = placeholder, onStep }: SearchInputProps) {
  const [text, setText] = useState(value);
  const field = useRef<HTMLInputElement>(null);
  // Escape goes here: keys of the page work again, and Tab goes on behind the field.
  const after = useRef<HTMLSpanElement>(null);
  const reported = useRef(value);
  useEffect(() => {
    if (value === reported.current) return;
    reported.current = value;
    setText(value);
  }, [value]);
  useEffect(() => {
    if (text === reported.current) return;
    const timer = setTimeout(() => {
      reported.current = text;
      onChange(text);
    }, quietMs);
    return () => clearTimeout(timer);
  }, [text, onChange]);
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>): void => {
    if (event.key === 'Enter' && onStep && text !== '') {
      reported.current = text;
      onStep(event.shiftKey ? -1 : 1, text);
    }
    if (event.key !== 'Escape') return;
    if (text === '' || onStep) after.current?.focus();
    else setText('');
  };
  const clear = (): void => {
    setText('');
    field.current?.focus();
  };
  return (
    <div className="relative w-full min-w-40 sm:w-64">
      <Search size={14} aria-hidden className="pointer-events-none absolute top-2.5 left-2.5 text-muted" />
      <input
        ref={field}
        type="text"
        role="searchbox"
        data-search
        aria-label={label}
        placeholder={placeholder}
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
        className={classes(inputLook, 'h-9 w-full pr-8 pl-8')}
      />
      {text !== '' && <ClearButton onClear={clear} />}
      <span ref={after} tabIndex={-1} />
    </div>
  );
}

function ClearButton({ onClear }: { onClear: () => void }) {
  return (
    <button
      type="button"
      aria-label="Clear the search"
      onClick={onClear}
      className="absolute top-2 right-2 rounded p-0.5 text-muted hover:text-ink"
    >
      <X size={14} aria-hidden />
    </button>
  );
}
