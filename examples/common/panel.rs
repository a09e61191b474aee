//! The window's sliders and lines of text.

use bevy::picking::hover::Hovered;
use bevy::prelude::*;
use bevy::ui_widgets::{
    Slider, SliderPrecision, SliderRange, SliderStep, SliderThumb, SliderValue, TrackClick,
    ValueChange,
};

use crate::scene::Knob;

/// Width of a slider and of its thumb, logical pixels.
const TRACK: f32 = 220.0;
const THUMB: f32 = 12.0;

/// Adds a slider per knob and keeps them equal to what the knobs read.
pub(crate) struct PanelPlugin {
    pub(crate) knobs: &'static [Knob],
    pub(crate) help: String,
}

/// The panel: its `Hovered` tells the orbit control to keep still.
#[derive(Component)]
pub(crate) struct Panel;

/// The line of text that tells how the run stands.
#[derive(Component)]
pub(crate) struct StatusLine;

#[derive(Component, Clone, Copy)]
struct KnobSlider(Knob);

#[derive(Component)]
struct KnobLabel;

impl Plugin for PanelPlugin {
    fn build(&self, app: &mut App) {
        let (knobs, help) = (self.knobs, self.help.clone());
        app.add_systems(Startup, move |mut commands: Commands| {
            spawn_panel(&mut commands, knobs, &help);
        })
        .add_observer(turn_knob)
        .add_systems(Update, (read_knobs, show_values).chain());
    }
}

fn spawn_panel(commands: &mut Commands, knobs: &'static [Knob], help: &str) {
    let panel = commands
        .spawn((
            Panel,
            Hovered::default(),
            Node {
                position_type: PositionType::Absolute,
                top: px(8),
                left: px(8),
                padding: UiRect::all(px(10)),
                row_gap: px(4),
                flex_direction: FlexDirection::Column,
                ..default()
            },
            BackgroundColor(Color::srgba(0.08, 0.09, 0.11, 0.75)),
            children![(text(help), Pickable::IGNORE), (text(""), StatusLine, Pickable::IGNORE)],
        ))
        .id();
    for &knob in knobs {
        commands.spawn((KnobLabel, text(knob.label), ChildOf(panel)));
        commands.spawn((slider(knob), ChildOf(panel)));
    }
}

fn text(line: &str) -> impl Bundle {
    (
        Text::new(line),
        TextFont { font_size: FontSize::Px(13.0), ..default() },
        TextColor(Color::WHITE),
    )
}

fn slider(knob: Knob) -> impl Bundle {
    let (least, most) = knob.range;
    (
        KnobSlider(knob),
        Slider { track_click: TrackClick::Snap, ..default() },
        SliderValue(least),
        SliderRange::new(least, most),
        SliderStep((most - least) / 20.0),
        SliderPrecision(2),
        Node { width: px(TRACK), height: px(THUMB), ..default() },
        BackgroundColor(Color::srgb(0.30, 0.33, 0.38)),
        children![(
            SliderThumb,
            Node {
                position_type: PositionType::Absolute,
                width: px(THUMB),
                height: px(THUMB),
                ..default()
            },
            BackgroundColor(Color::srgb(0.95, 0.65, 0.25)),
        )],
    )
}

/// From the slider to the scene.
fn turn_knob(change: On<ValueChange<f32>>, sliders: Query<&KnobSlider>, mut commands: Commands) {
    if let Ok(&KnobSlider(knob)) = sliders.get(change.source) {
        let value = change.value;
        commands.queue(move |world: &mut World| (knob.set)(world, value));
    }
}

/// From the scene to the slider, so that a reset or an edit by the scene shows as well.
fn read_knobs(world: &mut World, sliders: &mut QueryState<(Entity, &KnobSlider, &SliderValue)>) {
    let shown: Vec<(Entity, Knob, f32)> =
        sliders.iter(world).map(|(entity, slider, value)| (entity, slider.0, value.0)).collect();
    for (entity, knob, value) in shown {
        if let Some(now) = (knob.get)(world)
            && now != value
        {
            world.entity_mut(entity).insert(SliderValue(now));
        }
    }
}

fn show_values(
    sliders: Query<(&KnobSlider, &SliderValue, &SliderRange, &Children), Changed<SliderValue>>,
    mut thumbs: Query<&mut Node, With<SliderThumb>>,
    mut labels: Query<&mut Text, With<KnobLabel>>,
) {
    for (KnobSlider(knob), value, range, children) in &sliders {
        for child in children {
            if let Ok(mut thumb) = thumbs.get_mut(*child) {
                thumb.left = px(range.thumb_position(value.0).clamp(0.0, 1.0) * (TRACK - THUMB));
            }
        }
        // A label starts with the knob's name and ends with its value.
        for mut label in labels.iter_mut().filter(|label| label.0.starts_with(knob.label)) {
            label.0 = format!("{}: {:.2}", knob.label, value.0);
        }
    }
}
