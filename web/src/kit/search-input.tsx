import { Search, X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { classes } from './classes.ts';
import { inputLook } from './text-input.tsx';

const quietMs = 200;

/** A text to look for; told when one has stopped typing for a moment. `/` brings the cursor here. */
export function SearchInput({
  value,
  onChange,
  placeholder,
  label = placeholder,
}: {
  value: string;
  onChange: (value: string) => void;
  placeholder: string;
  label?: string;
}) {
  const [text, setText] = useState(value);
  const told = useRef(value);
  useEffect(() => {
    if (value === told.current) return;
    told.current = value;
    setText(value);
  }, [value]);
  useEffect(() => {
    if (text === told.current) return;
    const timer = setTimeout(() => {
      told.current = text;
      onChange(text);
    }, quietMs);
    return () => clearTimeout(timer);
  }, [text, onChange]);
  return (
    <div className="relative w-full min-w-40 sm:w-64">
      <Search size={14} aria-hidden className="pointer-events-none absolute top-2.5 left-2.5 text-muted" />
      <input
        type="text"
        role="searchbox"
        data-search
        aria-label={label}
        placeholder={placeholder}
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return;
          if (text === '') event.currentTarget.blur();
          else setText('');
        }}
        className={classes(inputLook, 'h-9 w-full pr-8 pl-8')}
      />
      {text !== '' && (
        <button
          type="button"
          aria-label="Clear the search"
          onClick={() => setText('')}
          className="absolute top-2 right-2 rounded p-0.5 text-muted hover:text-ink"
        >
          <X size={14} aria-hidden />
        </button>
      )}
    </div>
  );
}
