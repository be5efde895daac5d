import { type ComponentProps, useEffect, useState } from 'react';
import { classes } from './classes.ts';

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

/** A number or nothing. What cannot be read as a number stays to be corrected, and is told as nothing. */
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
  useEffect(() => setText((known) => (readNumber(known) === value ? known : String(value ?? ''))), [value]);
  return (
    <input
      inputMode="decimal"
      autoComplete="off"
      {...rest}
      value={text}
      aria-invalid={rest['aria-invalid'] ?? (text.trim() !== '' && readNumber(text) === null)}
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
