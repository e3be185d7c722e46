import type { ComponentChildren } from 'preact';

export interface StateProps {
  title: string;
  action?: string;
  onAction?: (() => void) | undefined;
  children?: ComponentChildren;
}

/** Says why there is no list, and offers what to do about it. */
export function State({ title, action, onAction, children }: StateProps) {
  return (
    <div class="state card" role="status">
      <h2>{title}</h2>
      {children}
      {onAction && (
        <button type="button" class="plain" onClick={onAction}>
          {action}
        </button>
      )}
    </div>
  );
}
