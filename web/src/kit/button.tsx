import { createLink } from '@tanstack/react-router';
import { LoaderCircle } from 'lucide-react';
import type { ComponentProps, ReactNode } from 'react';
import { classes } from './classes.ts';

export type ButtonVariant = 'primary' | 'secondary' | 'ghost' | 'danger';
export type ButtonSize = 'sm' | 'md';

interface ButtonLook {
  readonly variant?: ButtonVariant;
  readonly size?: ButtonSize;
  readonly icon?: ReactNode;
}

const base =
  'inline-flex shrink-0 items-center justify-center gap-1.5 rounded-md border font-medium whitespace-nowrap no-underline select-none transition-colors disabled:cursor-not-allowed disabled:opacity-55 aria-disabled:opacity-55';
const sizes: Readonly<Record<ButtonSize, string>> = { sm: 'h-7 px-2 text-xs', md: 'h-9 px-3 text-sm' };
const variants: Readonly<Record<ButtonVariant, string>> = {
  primary: 'border-transparent bg-accent text-on-accent enabled:hover:opacity-90',
  secondary: 'border-line bg-surface text-ink hover:bg-raised',
  ghost: 'border-transparent bg-transparent text-ink hover:bg-raised',
  danger: 'border-transparent bg-fail text-on-accent enabled:hover:opacity-90',
};

/** Class names of something that looks like a button. */
export function buttonLook(variant: ButtonVariant = 'secondary', size: ButtonSize = 'md'): string {
  return classes(base, sizes[size], variants[variant]);
}

/** A button; while busy it cannot be pressed again and keeps its width. */
export function Button({
  variant,
  size,
  icon,
  isBusy = false,
  className,
  children,
  disabled,
  ...rest
}: ButtonLook & { readonly isBusy?: boolean } & ComponentProps<'button'>) {
  const shownIcon = isBusy ? <LoaderCircle size={14} aria-hidden className="animate-spin" /> : icon;
  return (
    <button
      type="button"
      {...rest}
      disabled={disabled || isBusy}
      aria-busy={isBusy || undefined}
      className={classes(buttonLook(variant, size), className)}
    >
      {shownIcon}
      {children}
    </button>
  );
}

/** A link within the program that looks like a button. */
export const LinkButton = createLink(AnchorButton);

function AnchorButton({
  variant,
  size,
  icon,
  className,
  children,
  ...rest
}: ButtonLook & Omit<ComponentProps<'a'>, 'children'> & { readonly children?: ReactNode }) {
  return (
    <a {...rest} className={classes(buttonLook(variant, size), className)}>
      {icon}
      {children}
    </a>
  );
}
