import { Switch as BaseSwitch } from '@base-ui/react/switch';

/** On or off, at once. */
export function Switch({
  label,
  value,
  onChange,
  id,
  describedBy,
  isDisabled = false,
}: {
  label: string;
  value: boolean;
  onChange: (value: boolean) => void;
  id?: string | undefined;
  describedBy?: string | undefined;
  isDisabled?: boolean;
}) {
  return (
    <BaseSwitch.Root
      id={id}
      aria-label={label}
      aria-describedby={describedBy}
      checked={value}
      disabled={isDisabled}
      onCheckedChange={onChange}
      className="relative flex h-5 w-9 shrink-0 cursor-pointer rounded-full border border-edge bg-raised p-px transition-colors data-checked:border-accent data-checked:bg-accent data-disabled:opacity-50"
    >
      <BaseSwitch.Thumb className="size-4 rounded-full bg-edge transition-transform data-checked:translate-x-4 data-checked:bg-surface" />
    </BaseSwitch.Root>
  );
}
