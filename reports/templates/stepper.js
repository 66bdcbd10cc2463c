// Frames of one picture, stepped through by buttons or the arrow keys. Without this script the first frame stands alone.
for (const group of document.querySelectorAll('.frames')) {
  const frames = [...group.querySelectorAll('.frame')];
  const stepper = group.querySelector('.stepper');
  if (!stepper || frames.length < 2) continue;
  const [first, back, on, last] = stepper.querySelectorAll('button');
  const place = stepper.querySelector('output');
  let at = 0;
  const show = (to) => {
    at = Math.min(Math.max(to, 0), frames.length - 1);
    frames.forEach((frame, index) => { frame.hidden = index !== at; });
    place.value = `${at + 1} / ${frames.length}`;
    first.disabled = back.disabled = at === 0;
    on.disabled = last.disabled = at === frames.length - 1;
  };
  first.onclick = () => show(0);
  back.onclick = () => show(at - 1);
  on.onclick = () => show(at + 1);
  last.onclick = () => show(frames.length - 1);
  group.tabIndex = 0;
  group.addEventListener('keydown', (event) => {
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: frames.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    show(to);
  });
  stepper.hidden = false;
  show(0);
}
