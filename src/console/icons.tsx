/** Drawn here rather than loaded: a picture is one request more. They repeat what words beside them say. */

export function Paw() {
  return (
    <svg class="paw" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <ellipse cx="5.2" cy="10.4" rx="2.2" ry="3" />
      <ellipse cx="9.6" cy="5.6" rx="2.2" ry="3.2" />
      <ellipse cx="14.6" cy="5.6" rx="2.2" ry="3.2" />
      <ellipse cx="18.9" cy="10.4" rx="2.2" ry="3" />
      <path d="M12 11c3 0 6 3.4 6 6.4 0 2-1.5 3.1-3.2 3.1-1.1 0-1.9-.5-2.8-.5s-1.7.5-2.8.5C7.5 20.5 6 19.4 6 17.4 6 14.4 9 11 12 11z" />
    </svg>
  );
}
